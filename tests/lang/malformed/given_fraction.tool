--- expect: argument_type 4:42 step 'a': tool 'echo': argument 'count' is of the type integer, and 1.5 is not
--- document
{
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x", "count": 1.5}}
  ]
}
