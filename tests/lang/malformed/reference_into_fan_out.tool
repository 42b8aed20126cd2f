--- expect: reference_unknown 7:25
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "arguments": {"n": "REF:a.length"}}
  ]
}
