--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   retry 2 from 5m by 2 to 5m jitter 0.2 but []
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempts": 2, "initial_interval": "5m"}}
  ]
}
