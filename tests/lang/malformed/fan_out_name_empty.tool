--- expect: field_value 5:73 step 'a': parallel_execution: 'child_argument_name' must not be empty
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": ""}}
  ]
}
