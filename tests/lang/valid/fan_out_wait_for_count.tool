--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each ["x","y"] as 'item' join count 2, on failure fail
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": ["x", "y"], "child_argument_name": "item", "wait_for": 2}}
  ]
}
