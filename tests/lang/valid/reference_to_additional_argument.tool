--- expect: program case: takes (more), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <input.anything>}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:arguments.anything"}}
  ],
  "additional_arguments": true
}
