--- expect: field_type 5:97 step 'a': parallel_execution: 'max_concurrency' must be a number, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "max_concurrency": "2"}}
  ]
}
