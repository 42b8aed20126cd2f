--- expect: reference_syntax 5:25 step 'a': 'REF:b.list[0]' is not a reference: write an index as a segment, '.0' instead of '[0]'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:b.list[0]"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
