--- expect: reference_unknown 5:25 step 'a': 'REF:self.x': there is no step 'self'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:self.x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
