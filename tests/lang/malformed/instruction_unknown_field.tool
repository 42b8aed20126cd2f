--- expect: field_unknown 5:6 step 'a': 'depends_on' is not a field that is known here
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "depends_on": []}
  ]
}
