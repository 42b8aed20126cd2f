--- expect: program case: takes (text:string!, n:integer=2), gives (text:string, more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: <input.text>, n: <input.n>}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "text", "type_name": "string", "required": true}, {"name": "n", "type_name": "integer", "default_value": 2}],
  "responses": [{"name": "text", "type_name": "string"}]
}
