--- expect: json_syntax 2:1 not valid JSON: '{' stands where the end of the text is expected
--- document
{"system_event_endpoint": "builtin:echo"}
{}
