--- expect: argument_enum 4:41
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "mode": "medium"}}
  ]
}
