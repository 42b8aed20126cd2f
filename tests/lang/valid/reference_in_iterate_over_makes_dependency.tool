--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each <step0.list> as 'x' join all, on failure fail
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": "REF:a.list", "child_argument_name": "x"}}
  ]
}
