--- expect: dependency_self 5:25 step 'a': 'REF:a.response' refers to the step itself, whose result is not known yet
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:a.response"}}
  ]
}
