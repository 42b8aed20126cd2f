--- expect: field_missing 5:21 step 'a': condition needs 'conditions': the list that 'logic' is about
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "AND"}]}
  ]
}
