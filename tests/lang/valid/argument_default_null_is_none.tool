--- expect: program case: takes (x:string), gives (more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <input.x>}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "default_value": null}]
}
