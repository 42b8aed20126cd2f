--- expect: reference_unknown 5:62 step 'a': 'REF:c.x': there is no step 'c'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "in", "value": ["REF:c.x"]}]}
  ]
}
