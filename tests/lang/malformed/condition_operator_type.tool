--- expect: field_type 5:46 step 'a': condition: 'operator' must be a string, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": 1, "value": 1}]}
  ]
}
