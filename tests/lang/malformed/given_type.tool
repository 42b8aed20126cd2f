--- expect: argument_type 4:28
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": 1}}
  ]
}
