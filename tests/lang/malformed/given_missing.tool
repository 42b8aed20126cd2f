--- expect: argument_missing 3:5
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool"}
  ]
}
