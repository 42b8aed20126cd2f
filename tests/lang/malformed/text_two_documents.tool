--- expect: json_syntax 2:1 not valid JSON: unexpected '{'; expected end of input
--- document
{"system_event_endpoint": "builtin:echo"}
{}
