--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: "yes", y: true, z: 1}
--- expect: outputs of every step
--- document
description: a tool in YAML
instructions:
  - execution_id: a
    tool_definition_path: /tools/any.tool
    arguments: {x: yes, y: true, z: 1}
