--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool careful (builtin:sleep []), ok settle, failed fail
--- expect:   bind {}
--- expect:   retry 5 from 2s by 2 to 1m jitter 0.2 but []
--- expect:   timeout 30s
--- expect:   deadline 5m
--- expect:   effect at_most_once
--- expect:   needs network
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/careful.tool"}
  ]
}
