--- expect: field_value 5:18 step 'a': 'deadline' must be a duration such as "250ms", "5s", "2m", "1h" or "7d", not "tomorrow"
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "deadline": "tomorrow"}
  ]
}
