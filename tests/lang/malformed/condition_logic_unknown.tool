--- expect: field_value 5:31
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "XOR", "conditions": []}]}
  ]
}
