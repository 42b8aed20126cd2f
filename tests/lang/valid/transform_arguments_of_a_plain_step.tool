--- expect: program case: takes (text:string), gives (more)
--- expect: step fetch: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step use: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {given: 1}
--- expect:   prepare variable data: <step0.rows.0>
--- expect:   prepare variable sep: ", "
--- expect:   prepare variable now: `datetime_now(format="iso")`
--- expect:   prepare variable template: "item.name"
--- expect:   prepare variable mixed: [<input.text>,`first([1])`,{"k":"see REF:x"}]
--- expect:   prepare sets joined: `join(map(data, template), sep)`
--- expect:   prepare sets when: `now`
--- expect:   prepare sets count: `REF:fetch.rows.length`<step0.rows.length>
--- expect:   prepare sets nested . deep: `create_object(a=given, b=REF:arguments.text)`<input.text>
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool", "arguments": {"given": 1},
     "transform_arguments": {
       "variables": {
         "data": "REF:fetch.rows.0", "sep": ", ", "now": "datetime_now(format=\"iso\")", "template": "item.name",
         "mixed": ["REF:arguments.text", "first([1])", {"k": "see REF:x"}]},
       "transforms": {
         "joined": "join(map(data, template), sep)", "when": "now", "count": "REF:fetch.rows.length",
         "nested.deep": "create_object(a=given, b=REF:arguments.text)"}}}
  ]
}
