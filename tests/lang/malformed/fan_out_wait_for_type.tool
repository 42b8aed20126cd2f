--- expect: field_type 5:90 step 'a': parallel_execution: 'wait_for' must be all, any, first_success or a number of items, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "wait_for": [1]}}
  ]
}
