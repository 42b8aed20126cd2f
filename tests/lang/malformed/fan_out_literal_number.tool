--- expect: not_a_list 5:45 step 'a': parallel_execution: 'iterate_over' must be a list or a reference to one, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": 3, "child_argument_name": "x"}}
  ]
}
