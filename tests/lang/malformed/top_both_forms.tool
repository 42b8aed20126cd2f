--- expect: fields_exclusive 6:28 the definition: 'system_event_endpoint' and 'instructions' exclude each other; keep one
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "system_event_endpoint": "builtin:echo"
}
