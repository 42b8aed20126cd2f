--- expect: program case: takes (x:any), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each [1,<input.x>] as 'item' join all, on failure fail
--- expect: outputs of every step
--- document
{
  "arguments": [{"name": "x", "type_name": "any"}],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1, "REF:arguments.x"], "child_argument_name": "item"}}
  ]
}
