--- expect: field_unknown 5:56 step 'a': condition: 'negate' is not a field that is known here
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "exists", "negate": true}]}
  ]
}
