--- expect: field_value 5:59 step 'a': retry: 'max_interval' is shorter than 'initial_interval' (10s)
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"initial_interval": "10s", "max_interval": "1s"}}
  ]
}
