--- expect: field_type 5:20
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "on_failure": false}
  ]
}
