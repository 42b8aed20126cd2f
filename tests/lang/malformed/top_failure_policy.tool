--- expect: field_value 6:21 the definition: 'failure_policy' must be one of finish, cancel, not 'abort'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "failure_policy": "abort"
}
