--- expect: argument_missing 3:5 step 'a': tool 'echo' needs the argument 'text' (string)
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool"}
  ]
}
