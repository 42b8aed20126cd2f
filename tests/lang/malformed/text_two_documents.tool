--- expect: json_syntax 2:1
--- document
{"system_event_endpoint": "builtin:echo"}
{}
