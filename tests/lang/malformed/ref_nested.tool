--- expect: reference_unknown 5:44 step 'a': 'REF:c.x': there is no step 'c'
--- expect: reference_unknown 5:64 step 'a': 'REF:d.x': there is no step 'd'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": {"deep": [1, {"y": "REF:c.x"}]}, "z": ["REF:d.x"]}}
  ]
}
