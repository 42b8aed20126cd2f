{
  "name": "run_program",
  "description": "Runs a program with the arguments it is given, without a shell. Its process group is killed at the timeout of the step. A step whose program must not run twice sets \"effect\": \"at_most_once\".",
  "effect": "idempotent",
  "arguments": [
    {"name": "command", "type_name": "list", "description": "The program and its arguments: texts, numbers or booleans. The program is an absolute path, or a name that is looked up on PATH.", "required": true},
    {"name": "stdin", "type_name": "any", "description": "What the program reads: a text as it is, any other value as JSON."},
    {"name": "environment", "type_name": "object", "description": "Variables for the program, over the few that it has of the worker's: PATH, HOME, LANG, LC_ALL, TZ, TMPDIR, USER. It also has CATENA_IDEMPOTENCY_KEY and CATENA_ATTEMPT."},
    {"name": "expected_exit_codes", "type_name": "list", "description": "Those that mean success. Without it 0 alone. Any other fails the step; 75 can be retried."}
  ],
  "responses": [
    {"name": "exit_code", "type_name": "integer", "description": "Of the program.", "required": true},
    {"name": "stdout", "type_name": "string", "description": "What it wrote; bytes that are not UTF-8 become U+FFFD.", "required": true},
    {"name": "stderr", "type_name": "string", "description": "The end of what it said there, at most 64 KiB.", "required": true}
  ],
  "system_event_endpoint": "builtin:run_program"
}
