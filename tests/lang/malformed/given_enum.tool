--- expect: argument_enum 4:41 step 'a': tool 'echo': argument 'mode' must be one of ["fast","slow"], not "medium"
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "mode": "medium"}}
  ]
}
