--- expect: reference_unknown 5:25 step 'a': 'REF:text.length': 'text' is an argument; write REF:arguments.text
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:text.length"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
