--- expect: program case: takes (doc:object), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <input.doc.title>}
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "doc", "type_name": "object"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:arguments.doc.title"}}
  ]
}
