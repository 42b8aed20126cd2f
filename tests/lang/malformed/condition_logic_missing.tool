--- expect: field_missing 5:21 step 'a': condition needs 'logic': AND, OR or NOT
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"conditions": []}]}
  ]
}
