--- expect: reference_unknown 5:31 step 'a': 'REF:c.x': there is no step 'c'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:c.x", "operator": "exists"}]}
  ]
}
