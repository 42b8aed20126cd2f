--- expect: reference_syntax 5:25 step 'a': 'REF:b.' is not a reference: two dots in a row, or a dot at the end
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:b."}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
