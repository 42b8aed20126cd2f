--- expect: field_missing 5:28 step 'a': parallel_execution needs 'child_argument_name': the argument that carries the item
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1]}}
  ]
}
