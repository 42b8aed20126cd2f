--- expect: program case: takes (x:any), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   when all(any(<input.x> greater_than_or_equal 5; all(); none("a" matches "^a+$")))
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "x", "type_name": "any"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "OR", "conditions": [{"param": "REF:arguments.x", "operator": "greater_than_or_equal", "value": 5},
      {"logic": "AND", "conditions": []}, {"logic": "NOT", "conditions": [{"param": "a", "operator": "matches", "value": "^a+$"}]}]}]}
  ]
}
