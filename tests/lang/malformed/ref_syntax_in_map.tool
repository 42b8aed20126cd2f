--- expect: reference_syntax 6:36 response_reference_map: 'REF:a' is not a reference: it needs a segment; write REF:a.response
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": {"x": ["REF:a"]}
}
