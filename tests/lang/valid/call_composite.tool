--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls program twice (/tools/twice.tool), ok settle, failed fail
--- expect:   bind {text: "x"}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/twice.tool",
     "arguments": {"text": "x"}}
  ]
}
