--- expect: field_unknown 5:78 step 'a': parallel_execution: 'max_concurrent' is not a field that is known here; did you mean 'max_concurrency'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "max_concurrent": 2}}
  ]
}
