--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls program twice (/tools/twice.tool), ok settle, failed fail
--- expect:   bind {}
--- expect:   each ["x"] as 'text' join all, on failure fail
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/twice.tool",
     "parallel_execution": {"iterate_over": ["x"], "child_argument_name": "text"}}
  ]
}
