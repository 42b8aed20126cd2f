--- expect: reference_syntax 5:25 step 'a': 'REF:arguments' is not a reference: it needs a segment; write REF:arguments.<name>
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:arguments"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
