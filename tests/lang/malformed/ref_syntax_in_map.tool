--- expect: reference_syntax 6:36
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": {"x": ["REF:a"]}
}
