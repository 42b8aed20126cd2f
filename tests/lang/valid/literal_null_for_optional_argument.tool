--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: "x", mode: null, count: 2.0}
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x", "mode": null, "count": 2.0}}]}
