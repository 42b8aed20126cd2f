--- expect: field_type 6:29 the definition: 'response_reference_map' must be an object, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": ["x"]
}
