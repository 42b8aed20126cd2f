--- expect: field_unknown 5:6
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "depends_on": []}
  ]
}
