--- expect: fields_exclusive 5:135 step 'a': parallel_execution: 'tolerated_failure_percentage' and 'tolerated_failures' exclude each other; keep one
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "tolerated_failures": 1, "tolerated_failure_percentage": 5}}
  ]
}
