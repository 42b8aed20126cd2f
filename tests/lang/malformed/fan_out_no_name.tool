--- expect: field_missing 5:28
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1]}}
  ]
}
