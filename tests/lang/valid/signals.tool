--- expect: program case: takes (more), gives (more)
--- expect: step ask: after [], calls signal approve, ok settle, failed fail
--- expect:   bind {}
--- expect:   deadline 2d
--- expect: step tool: after [0], calls signal release.now, ok settle, failed fail
--- expect:   bind {what: <step0.by>}
--- expect:   deadline 1h
--- expect: step last: after [], calls signal bye, ok settle, failed settle
--- expect:   bind {}
--- expect:   finally
--- expect: outputs of every step
--- document
{
  "additional_arguments": true,
  "instructions": [
    {"execution_id": "ask", "signal": {"name": "approve", "schema": {"type": "object"}, "timeout": "2d"}},
    {"execution_id": "tool", "arguments": {"what": "REF:ask.by"}, "retry": {"max_attempts": 3}, "timeout": "1h",
     "tool_definition": {"additional_arguments": true, "system_event_endpoint": "signal: release.now"}},
    {"execution_id": "last", "signal": {"name": "bye"}, "finally": true, "on_failure": "continue"}]
}
