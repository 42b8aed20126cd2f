--- expect: field_value 5:110 step 'a': parallel_execution: 'tolerated_failure_percentage' must be from 0 to 100, not 100.5
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "tolerated_failure_percentage": 100.5}}
  ]
}
