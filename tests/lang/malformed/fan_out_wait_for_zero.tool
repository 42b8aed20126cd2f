--- expect: field_value 5:90 step 'a': parallel_execution: 'wait_for' must be a whole number from 1 to 4294967295, not 0
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "wait_for": 0}}
  ]
}
