--- expect: json_syntax 1:42 not valid JSON: unexpected '}'; expected string literal
--- document
{"system_event_endpoint": "builtin:echo",}
