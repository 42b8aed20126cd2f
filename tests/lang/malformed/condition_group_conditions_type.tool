--- expect: field_type 5:52
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "AND", "conditions": {}}]}
  ]
}
