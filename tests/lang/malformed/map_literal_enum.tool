--- expect: response_enum 7:35 response_reference_map: "b" is not an allowed value of response 'x'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "string", "enum": ["a"]}],
  "response_reference_map": {"x": "b"}
}
