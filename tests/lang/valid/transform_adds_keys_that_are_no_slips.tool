--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: "x"}
--- expect:   shape sets texts: `[text]`
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step0.texts>, y: <step0.response.texts>}
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"},
   "transform_responses": {"transforms": {"texts": "[text]"}}},
  {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:a.texts", "y": "REF:a.response.texts"}}]}
