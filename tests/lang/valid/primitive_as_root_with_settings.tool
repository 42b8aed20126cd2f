--- expect: program case: takes (), gives (more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   retry 3 from 1s by 2 to 1m jitter 0.2 but []
--- expect:   timeout 5s
--- expect:   deadline 1m
--- expect:   effect pure
--- expect:   needs cuda, gpu
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "retry": {"max_attempts": 3}, "timeout": "5s", "deadline": "1m", "effect": "pure", "needs": ["gpu", "cuda"]
}
