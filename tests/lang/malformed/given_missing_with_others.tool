--- expect: argument_missing 4:19 step 'a': tool 'echo' needs the argument 'text' (string)
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"count": 1}}
  ]
}
