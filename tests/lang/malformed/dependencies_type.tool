--- expect: field_type 5:22
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": "b"}
  ]
}
