--- expect: duplicate_key 5:28
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": 1, "x": 2}}
  ]
}
