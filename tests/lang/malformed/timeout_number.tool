--- expect: field_type 5:17
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "timeout": 30}
  ]
}
