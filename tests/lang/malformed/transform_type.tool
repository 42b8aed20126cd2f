--- expect: field_type 5:29 step 'a': 'transform_arguments' must be an object, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": ["x"]}
  ]
}
