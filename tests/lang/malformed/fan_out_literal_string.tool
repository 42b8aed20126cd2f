--- expect: not_a_list 5:45
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": "abc", "child_argument_name": "x"}}
  ]
}
