--- expect: field_value 5:20 step 'a': 'on_failure' must be one of fail, continue, not 'ignore'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "on_failure": "ignore"}
  ]
}
