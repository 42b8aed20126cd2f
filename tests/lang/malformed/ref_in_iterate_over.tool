--- expect: reference_unknown 5:45 step 'a': 'REF:c.list': there is no step 'c'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": "REF:c.list", "child_argument_name": "x"}}
  ]
}
