--- expect: program case: takes (n:integer), gives (more)
--- expect: step again: after [], calls program case (/case.tool), ok settle, failed fail
--- expect:   bind {n: 1}
--- expect:   when all(<input.n> not_equals 1)
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "n", "type_name": "integer"}],
  "instructions": [
    {"execution_id": "again", "tool_definition_path": "/case.tool", "arguments": {"n": 1},
     "conditions": [{"param": "REF:arguments.n", "operator": "not_equals", "value": 1}]}]
}
