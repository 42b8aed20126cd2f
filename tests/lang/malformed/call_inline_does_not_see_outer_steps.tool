--- expect: reference_unknown 5:148 step 'c': 'REF:a.response': there is no step 'a'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition": {"instructions": [{"execution_id": "c", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:a.response"}}]},
     "arguments": {}}
  ]
}
