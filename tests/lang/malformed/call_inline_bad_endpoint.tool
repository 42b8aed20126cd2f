--- expect: builtin_unknown 2:29 there is no builtin 'nothing'
--- document
{"instructions": [{"execution_id": "a", "tool_definition":
  {"system_event_endpoint": "builtin:nothing"}}]}
