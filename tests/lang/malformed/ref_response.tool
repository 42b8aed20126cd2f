--- expect: reference_unknown 5:25 step 'a': 'REF:response.x': 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:response.x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
