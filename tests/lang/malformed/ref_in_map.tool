--- expect: reference_unknown 6:35 response_reference_map: 'REF:c.y': there is no step 'c'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": {"x": "REF:c.y"}
}
