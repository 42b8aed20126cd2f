--- expect: operator_unknown 5:109 step 'a': condition: 'operator' 'is' is not known; did you mean 'in'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "OR", "conditions": [{"logic": "NOT", "conditions": [{"param": 1, "operator": "is", "value": 1}]}]}]}
  ]
}
