--- expect: json_syntax 1:42 not valid JSON: invalid literal
--- document
{"system_event_endpoint": "builtin:echo" // why
}
