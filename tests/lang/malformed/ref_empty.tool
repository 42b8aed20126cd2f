--- expect: reference_syntax 5:25 step 'a': 'REF:' is not a reference: it names nothing; write REF:arguments.<name> or REF:<execution_id>.response
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
