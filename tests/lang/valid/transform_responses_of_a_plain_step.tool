--- expect: program case: takes (), gives (more)
--- expect: step other: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step a: after [0], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: "x"}
--- expect:   shape variable items: <response.items>
--- expect:   shape variable whole: <response>
--- expect:   shape variable known: `first(text)`
--- expect:   shape sets total: `sum(items, "item.n") + anything`
--- expect:   shape sets count: `REF:response.items.length`<response.items.length>
--- expect:   shape sets joined: `concat(REF:response.text, REF:other.x)`<step0.x><response.text>
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [
  {"execution_id": "other", "tool_definition_path": "/tools/any.tool"},
  {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"},
   "transform_responses": {
     "variables": {"items": "REF:response.items", "whole": "REF:response", "known": "first(text)"},
     "transforms": {"total": "sum(items, \"item.n\") + anything", "count": "REF:response.items.length",
                    "joined": "concat(REF:response.text, REF:other.x)"}}}]}
