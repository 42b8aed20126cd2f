--- expect: field_type 5:46
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": 1, "value": 1}]}
  ]
}
