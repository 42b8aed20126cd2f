--- expect: field_value 5:17 step 'a': 'timeout' must be a duration such as "250ms", "5s", "2m", "1h" or "7d", not "-5s"
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "timeout": "-5s"}
  ]
}
