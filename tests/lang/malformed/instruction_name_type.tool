--- expect: field_type 5:14
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "name": 1}
  ]
}
