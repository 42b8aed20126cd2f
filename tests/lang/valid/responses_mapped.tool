--- expect: program case: takes (), gives (x:any!, n:integer, more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs {x: <step0.response>, n: 3}
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "any", "required": true}, {"name": "n", "type_name": "integer"}],
  "response_reference_map": {"x": "REF:a.response", "n": 3}
}
