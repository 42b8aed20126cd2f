--- expect: field_unknown 5:16 step 'a': retry: 'max_attempt' is not a field that is known here; did you mean 'max_attempts'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempt": 3}}
  ]
}
