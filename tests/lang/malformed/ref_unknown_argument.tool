--- expect: reference_unknown 5:25 step 'a': 'REF:arguments.tetx': the definition declares no argument 'tetx'; did you mean 'text'?
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:arguments.tetx"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
