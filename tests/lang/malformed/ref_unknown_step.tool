--- expect: reference_unknown 5:25 step 'a': 'REF:c.response': there is no step 'c'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:c.response"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
