--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool run (exec:/opt/bin/run.sh ["--fast","two words","it's"]), ok settle, failed fail
--- expect:   bind {x: 1}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/run.tool",
     "arguments": {"x": 1}}
  ]
}
