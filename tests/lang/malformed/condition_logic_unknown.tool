--- expect: field_value 5:31 step 'a': condition: 'logic' must be one of AND, OR, NOT, not 'XOR'; did you mean 'OR'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "XOR", "conditions": []}]}
  ]
}
