--- expect: field_type 5:28 step 'a': 'parallel_execution' must be an object, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": ["x"]}
  ]
}
