--- expect: reference_unknown 5:44
--- expect: reference_unknown 5:64
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": {"deep": [1, {"y": "REF:c.x"}]}, "z": ["REF:d.x"]}}
  ]
}
