--- expect: duplicate_key 5:28 the key 'x' stands twice in one object; remove one of them
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": 1, "x": 2}}
  ]
}
