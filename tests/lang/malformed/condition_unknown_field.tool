--- expect: field_unknown 5:56
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "exists", "negate": true}]}
  ]
}
