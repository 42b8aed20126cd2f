--- expect: field_unknown 7:30 response_reference_map: the definition declares no response 'totl'; did you mean 'total'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "total", "type_name": "any"}],
  "response_reference_map": {"totl": "REF:a.y"}
}
