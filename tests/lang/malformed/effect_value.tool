--- expect: field_value 5:16
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "effect": "at_least_once"}
  ]
}
