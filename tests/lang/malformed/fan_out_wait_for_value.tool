--- expect: field_value 5:90 step 'a': parallel_execution: 'wait_for' must be one of all, any, first_success, not 'some'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "wait_for": "some"}}
  ]
}
