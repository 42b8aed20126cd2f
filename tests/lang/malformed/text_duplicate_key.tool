--- expect: duplicate_key 2:2
--- document
{"system_event_endpoint": "builtin:echo",
 "system_event_endpoint": "builtin:echo"}
