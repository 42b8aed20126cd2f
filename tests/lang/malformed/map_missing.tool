--- expect: response_unmapped 6:16 the required response 'x' is not in response_reference_map
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "any", "required": true}]
}
