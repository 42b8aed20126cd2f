--- expect: json_syntax 1:42
--- document
{"system_event_endpoint": "builtin:echo",}
