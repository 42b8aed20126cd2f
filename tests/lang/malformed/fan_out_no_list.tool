--- expect: field_missing 5:28 step 'a': parallel_execution needs 'iterate_over': a list, or a reference to one
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"child_argument_name": "x"}}
  ]
}
