--- expect: field_type 5:21
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [true]}
  ]
}
