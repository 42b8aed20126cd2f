--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   retry 0 from 250ms by 1.5 to 2m jitter 0 but ["tool_failed","tool_timeout"]
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempts": 0, "initial_interval": "250ms", "backoff": 1.5, "max_interval": "2m", "jitter": 0, "non_retryable": ["tool_failed", "tool_timeout"]}}
  ]
}
