--- expect: fields_exclusive 5:25 step 'a': 'tool_definition' and 'tool_definition_path' exclude each other; keep one
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "tool_definition": {"system_event_endpoint": "builtin:echo"}}
  ]
}
