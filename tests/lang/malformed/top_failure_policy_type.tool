--- expect: field_type 6:21
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "failure_policy": 1
}
