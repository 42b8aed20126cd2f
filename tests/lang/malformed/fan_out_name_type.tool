--- expect: field_type 5:73 step 'a': parallel_execution: 'child_argument_name' must be a string, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": 1}}
  ]
}
