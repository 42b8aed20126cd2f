--- expect: fields_exclusive 5:25
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "tool_definition": {"system_event_endpoint": "builtin:echo"}}
  ]
}
