--- expect: operator_unknown 5:46 step 'a': condition: 'operator' 'equal' is not known; did you mean 'equals'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "equal", "value": 1}]}
  ]
}
