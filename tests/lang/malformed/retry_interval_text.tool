--- expect: field_value 5:36 step 'a': retry: 'initial_interval' must be a duration such as "250ms", "5s", "2m", "1h" or "7d", not "soon"
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"initial_interval": "soon"}}
  ]
}
