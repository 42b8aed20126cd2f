--- expect: reference_syntax 5:25 step 'a': 'REF:b.x and more' is not a reference: white space and control characters cannot be part of one; a reference stands alone in its string (write '\REF:' for the literal text 'REF:')
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:b.x and more"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
