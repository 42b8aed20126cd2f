--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls program twice (/tools/twice.tool), ok settle, failed fail
--- expect:   bind {text: "x"}
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "a", "agent_definition_path": "/tools/twice.tool", "arguments": {"text": "x"}}]}
