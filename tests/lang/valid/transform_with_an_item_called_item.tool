--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each [1] as 'item' join all, on failure fail
--- expect:   prepare sets inner: `map([1], 'item + 1')`
--- expect:   prepare sets of item outer: `concat([item], map([1], 'item'))`
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
   "parallel_execution": {"iterate_over": [1], "child_argument_name": "item"},
   "transform_arguments": {"transforms": {"inner": "map([1], 'item + 1')", "outer": "concat([item], map([1], 'item'))"}}}]}
