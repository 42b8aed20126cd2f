--- expect: argument_type 4:42
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "count": 1.5}}
  ]
}
