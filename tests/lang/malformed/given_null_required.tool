--- expect: argument_missing 4:28 step 'a': tool 'echo' needs the argument 'text' (string), and null is none
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": null}}
  ]
}
