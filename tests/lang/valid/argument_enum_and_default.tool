--- expect: program case: takes (mode:string!="a" of ["a","b"], n:number=1.0 of [1,2.5]), gives (more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind {mode: <input.mode>, n: <input.n>}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "mode", "type_name": "string", "enum": ["a", "b"], "default_value": "a", "required": true}, {"name": "n", "type_name": "number", "enum": [1, 2.5], "default_value": 1.0}]
}
