--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool writer (builtin:echo []), ok settle, failed fail
--- expect:   bind {topic: "x"}
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [{"execution_id": "a", "tool_definition_path": "/agents/writer.agent", "arguments": {"topic": "x"}}]}
