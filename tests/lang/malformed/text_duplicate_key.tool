--- expect: duplicate_key 2:2 the key 'system_event_endpoint' stands twice in one object; remove one of them
--- document
{"system_event_endpoint": "builtin:echo",
 "system_event_endpoint": "builtin:echo"}
