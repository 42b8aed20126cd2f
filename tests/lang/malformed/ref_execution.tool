--- expect: reference_unknown 5:25 step 'a': 'REF:execution.id': there is no step 'execution'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:execution.id"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
