--- expect: fields_exclusive 6:28
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "system_event_endpoint": "builtin:echo"
}
