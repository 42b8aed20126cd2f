--- expect: field_value 6:21
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "failure_policy": "abort"
}
