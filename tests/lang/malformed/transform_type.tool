--- expect: field_type 5:29
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": ["x"]}
  ]
}
