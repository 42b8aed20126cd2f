--- expect: program case: takes (x:any), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   when all(<input.x> exists null; <input.x> not_equals null)
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "x", "type_name": "any"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:arguments.x", "operator": "exists"}, {"param": "REF:arguments.x", "operator": "not_equals", "value": null}]}
  ]
}
