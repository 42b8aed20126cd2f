--- expect: response_unmapped 6:16
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "any", "required": true}]
}
