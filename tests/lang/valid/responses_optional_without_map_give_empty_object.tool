--- expect: program case: takes (), gives (x:any, more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs {}
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "responses": [{"name": "x", "type_name": "any"}]
}
