--- expect: field_value 5:97 step 'a': parallel_execution: 'on_item_failure' must be one of fail, null, error, not 'skip'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x", "on_item_failure": "skip"}}
  ]
}
