--- expect: field_type 5:15 step 'a': 'retry' must be an object, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": 3}
  ]
}
