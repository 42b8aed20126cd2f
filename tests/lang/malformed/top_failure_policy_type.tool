--- expect: field_type 6:21 the definition: 'failure_policy' must be a string, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "failure_policy": 1
}
