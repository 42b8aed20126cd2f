--- expect: field_missing 5:21 step 'a': condition needs 'param': what is tested, usually a reference
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"operator": "exists"}]}
  ]
}
