--- expect: reference_unknown 5:44 step 'a': 'REF:c.x': there is no step 'c'; did you mean 'a'?
--- expect: reference_unknown 5:64 step 'a': 'REF:d.x': there is no step 'd'; did you mean 'a'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": {"deep": [1, {"y": "REF:c.x"}]}, "z": ["REF:d.x"]}}
  ]
}
