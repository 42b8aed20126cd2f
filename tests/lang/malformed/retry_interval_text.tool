--- expect: field_value 5:36
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"initial_interval": "soon"}}
  ]
}
