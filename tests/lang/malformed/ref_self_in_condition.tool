--- expect: dependency_self 5:31 step 'a': 'REF:a.status' refers to the step itself, whose result is not known yet
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:a.status", "operator": "exists"}]}
  ]
}
