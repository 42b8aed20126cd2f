--- expect: field_value 5:100 step 'a': parallel_execution: 'tolerated_failures' must be a whole number from 0 to 4294967295, not -1
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "tolerated_failures": -1}}
  ]
}
