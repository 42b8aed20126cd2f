--- expect: argument_type 4:28 step 'a': tool 'echo': argument 'text' is of the type string, and 1 is not
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": 1}}
  ]
}
