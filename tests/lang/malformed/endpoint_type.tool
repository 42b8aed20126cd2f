--- expect: field_type 1:27
--- document
{"system_event_endpoint": ["builtin:echo"]}
