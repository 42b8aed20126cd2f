--- expect: json_syntax 1:42 not valid JSON: this is no value: texts stand in double quotes, and there are no comments
--- document
{"system_event_endpoint": "builtin:echo" // why
}
