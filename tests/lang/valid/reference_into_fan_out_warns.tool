--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each [1] as 'x' join all, on failure fail
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {n: <step0.length>}
--- expect: outputs of every step
--- expect: warns reference_unknown 7:25
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "arguments": {"n": "REF:a.length"}}
  ]
}
