--- expect: reference_unknown 5:31
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:c.x", "operator": "exists"}]}
  ]
}
