--- expect: program case: takes (doc:file!, any:any), gives (again:file, text:string, size:any, more)
--- expect: step a: after [], calls tool filer (builtin:echo []), ok settle, failed fail
--- expect:   bind {file: <input.doc path>, text: <input.doc file>}
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {content: <step0.out file>, list: [<step0.response.out file>], name: <step0.out.file_name file>, note: <step0.note>, tag: <input.doc.metadata.k file>}
--- expect:   when all(<input.doc.size file> greater_than 0)
--- expect: step each: after [0], calls tool filer (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each ["/x"] as 'file' join all, on failure fail
--- expect:   prepare sets text: `REF:a.out`<step0.out file>
--- expect:   shape sets first: `REF:response.0.out`<response.0.out file>
--- expect:   shape sets path: `REF:response.last.out.path`<response.last.out.path file>
--- expect: step last: after [0,2], calls tool filer (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: <step2.response.0.out file>}
--- expect:   prepare sets file: `REF:a.out`<step0.out path>
--- expect:   shape sets out: `REF:response.out`<response.out path>
--- expect: outputs {again: <step3.out path>, size: <step3.out.size file>, text: <step3.out file>}
--- document
{
  "arguments": [{"name": "doc", "type_name": "file", "required": true}, {"name": "any", "type_name": "any"}],
  "responses": [{"name": "again", "type_name": "file"}, {"name": "text", "type_name": "string"}, {"name": "size", "type_name": "any"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": "REF:arguments.doc", "text": "REF:arguments.doc"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "arguments": {"content": "REF:a.out", "list": ["REF:a.response.out"], "name": "REF:a.out.file_name", "note": "REF:a.note",
                   "tag": "REF:arguments.doc.metadata.k"},
     "conditions": [{"param": "REF:arguments.doc.size", "operator": "greater_than", "value": 0}]},
    {"execution_id": "each", "tool_definition_path": "/tools/filer.tool",
     "parallel_execution": {"iterate_over": ["/x"], "child_argument_name": "file"},
     "transform_arguments": {"transforms": {"text": "REF:a.out"}},
     "transform_responses": {"transforms": {"first": "REF:response.0.out", "path": "REF:response.last.out.path"}}},
    {"execution_id": "last", "tool_definition_path": "/tools/filer.tool",
     "arguments": {"text": "REF:each.response.0.out"},
     "transform_arguments": {"transforms": {"file": "REF:a.out"}},
     "transform_responses": {"transforms": {"out": "REF:response.out"}}}
  ],
  "response_reference_map": {"again": "REF:last.out", "size": "REF:last.out.size", "text": "REF:last.out"}
}
