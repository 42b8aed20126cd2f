--- expect: field_missing 5:21 step 'a': condition needs 'operator': for example equals
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "value": 1}]}
  ]
}
