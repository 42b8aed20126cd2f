--- expect: pattern_invalid 5:68 step 'a': condition: the regular expression '(a' cannot be read: missing ): (a
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "x", "operator": "matches", "value": "(a"}]}
  ]
}
