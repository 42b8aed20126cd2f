--- expect: program case: takes (s:string, n:number, i:integer, b:boolean, o:object, l:list, a:any!), gives (more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind {s: <input.s>, n: <input.n>, i: <input.i>, b: <input.b>, o: <input.o>, l: <input.l>, a: <input.a>}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "s", "type_name": "string"}, {"name": "n", "type_name": "number"}, {"name": "i", "type_name": "integer"}, {"name": "b", "type_name": "boolean"},
   {"name": "o", "type_name": "object"}, {"name": "l", "type_name": "list"}, {"name": "a", "type_name": "any", "description": "anything", "required": true}]
}
