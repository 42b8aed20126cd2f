--- expect: argument_unknown 4:33
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "txet": "y"}}
  ]
}
