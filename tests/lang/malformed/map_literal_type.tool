--- expect: response_type 7:35 response_reference_map: response 'x' is of the type integer, and "one" is not
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "integer"}],
  "response_reference_map": {"x": "one"}
}
