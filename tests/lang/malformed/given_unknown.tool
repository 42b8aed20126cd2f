--- expect: argument_unknown 4:33 step 'a': tool 'echo' declares no argument 'txet'; did you mean 'text'?
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "txet": "y"}}
  ]
}
