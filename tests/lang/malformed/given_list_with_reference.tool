--- expect: argument_type 5:28 step 'a': tool 'echo': argument 'text' is of the type string, not list
--- document
{
  "arguments": [{"name": "x", "type_name": "any"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": ["REF:arguments.x"]}}
  ]
}
