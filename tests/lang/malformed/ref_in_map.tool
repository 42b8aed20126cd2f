--- expect: reference_unknown 6:35
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": {"x": "REF:c.y"}
}
