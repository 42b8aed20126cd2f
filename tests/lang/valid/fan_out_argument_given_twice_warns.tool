--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {item: 1}
--- expect:   each ["x","y"] as 'item' join all, on failure fail
--- expect: outputs of every step
--- expect: warns fields_exclusive 5:20
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"item": 1}, "parallel_execution": {"iterate_over": ["x", "y"], "child_argument_name": "item"}}
  ]
}
