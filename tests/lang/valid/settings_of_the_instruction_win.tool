--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool careful (builtin:sleep []), ok settle, failed fail
--- expect:   bind {}
--- expect:   retry 2 from 1s by 2 to 1m jitter 0.2 but []
--- expect:   timeout 1s
--- expect:   deadline 2s
--- expect:   needs gpu, network
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/careful.tool",
     "retry": {"max_attempts": 2}, "timeout": "1s", "deadline": "2s", "effect": "idempotent", "needs": ["gpu"]}
  ]
}
