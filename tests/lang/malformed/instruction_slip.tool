--- expect: field_unknown 5:6 step 'a': 'argument' is not a field that is known here; did you mean 'arguments'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "argument": {}}
  ]
}
