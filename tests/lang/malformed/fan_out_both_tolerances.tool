--- expect: fields_exclusive 5:135
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "tolerated_failures": 1, "tolerated_failure_percentage": 5}}
  ]
}
