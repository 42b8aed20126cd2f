--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {shared: 1}
--- expect:   each [1,2] as 'n' join all, on failure fail
--- expect:   prepare variable of item up: `abs(n)`
--- expect:   prepare variable half: `abs(shared)`
--- expect:   prepare variable text: "item + n"
--- expect:   prepare variable of item list: [1,`abs(n)`]
--- expect:   prepare sets plain: `half + 1`
--- expect:   prepare sets of item own: `up * 2`
--- expect:   prepare sets of item direct: `n`
--- expect:   prepare sets of item late: `map([1], text)`
--- expect:   prepare sets of item n: `shared`
--- expect:   prepare sets inner: `map([1], 'item + shared')`
--- expect:   prepare sets lambda: `map([1], lambda n: n)`
--- expect:   shape variable all: <response>
--- expect:   shape sets total: `sum(all, 'item.v')`
--- expect:   shape sets first: `REF:response.first.v`<response.first.v>
--- expect:   shape sets nested . n: `REF:response.length`<response.length>
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {all: <step0.response.0.v>, n: <step0.nested.n>, state: <step0.status>, total: <step0.total>}
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "arguments": {"shared": 1},
   "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"},
   "transform_arguments": {
     "variables": {"up": "abs(n)", "half": "abs(shared)", "text": "item + n", "list": [1, "abs(n)"]},
     "transforms": {"plain": "half + 1", "own": "up * 2", "direct": "n", "late": "map([1], text)", "n": "shared",
                    "inner": "map([1], 'item + shared')", "lambda": "map([1], lambda n: n)"}},
   "transform_responses": {
     "variables": {"all": "REF:response"},
     "transforms": {"total": "sum(all, 'item.v')", "first": "REF:response.first.v", "nested.n": "REF:response.length"}}},
  {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
   "arguments": {"all": "REF:a.response.0.v", "n": "REF:a.nested.n", "state": "REF:a.status", "total": "REF:a.total"}}]}
