--- expect: reference_unknown 7:25 step 'b': 'REF:a.length': step 'a' is a fan-out, its results are the list REF:a.response; it has: response, status, error, error_message
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
