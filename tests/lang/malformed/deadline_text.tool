--- expect: field_value 5:18
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "deadline": "tomorrow"}
  ]
}
