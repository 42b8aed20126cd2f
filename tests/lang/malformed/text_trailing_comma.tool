--- expect: json_syntax 1:42 not valid JSON: '}' stands where a text in double quotes is expected
--- document
{"system_event_endpoint": "builtin:echo",}
