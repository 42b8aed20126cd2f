{
  "name": "flaky",
  "description": "Tools that fail, for a while or for good, and what can be done about it",
  "arguments": [
    {"name": "failures", "type_name": "integer", "description": "attempts that fail before one succeeds", "default_value": 2}
  ],
  "responses": [
    {"name": "builtin_attempts", "type_name": "integer", "required": true},
    {"name": "process_attempts", "type_name": "integer", "required": true},
    {"name": "given_up", "type_name": "string", "description": "why the broken step failed", "required": true},
    {"name": "instead", "type_name": "string", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "builtin",
      "description": "Fails a few times inside the worker; the pause doubles each time",
      "tool_definition_path": "/tools/fail.tool",
      "arguments": {"times": "REF:arguments.failures"},
      "retry": {"max_attempts": 5, "initial_interval": "100ms", "backoff": 2, "jitter": 0.2}
    },
    {
      "execution_id": "process",
      "description": "The same in a process: exit code 75 asks for another attempt",
      "tool_definition_path": "/tools/flaky.tool",
      "arguments": {"failures": "REF:arguments.failures"},
      "retry": {"max_attempts": 5, "initial_interval": "100ms"}
    },
    {
      "execution_id": "broken",
      "description": "An error that another attempt would not mend is not tried again, whatever the settings",
      "tool_definition_path": "/tools/fail.tool",
      "arguments": {"message": "this will never work", "code": "tool_failed"},
      "retry": {"max_attempts": 5}
    },
    {
      "execution_id": "plan_b",
      "description": "Asks for the outcome of 'broken', so its failure is handled and the chain goes on",
      "tool_definition_path": "/tools/concat.tool",
      "conditions": [{"param": "REF:broken.status", "operator": "equals", "value": "failed"}],
      "arguments": {"parts": ["went on without: ", "REF:broken.error_message"]}
    }
  ],
  "response_reference_map": {
    "builtin_attempts": "REF:builtin.attempts",
    "process_attempts": "REF:process.attempts",
    "given_up": "REF:broken.error_message",
    "instead": "REF:plan_b.text"
  }
}
