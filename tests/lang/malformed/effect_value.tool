--- expect: field_value 5:16 step 'a': 'effect' must be one of pure, idempotent, at_most_once, not 'at_least_once'; did you mean 'at_most_once'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "effect": "at_least_once"}
  ]
}
