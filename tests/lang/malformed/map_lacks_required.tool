--- expect: response_unmapped 7:29 the required response 'x' is not in response_reference_map
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "any", "required": true}, {"name": "y", "type_name": "any"}],
  "response_reference_map": {"y": "REF:a.y"}
}
