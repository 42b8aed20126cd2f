--- expect: field_type 1:27 the definition: 'system_event_endpoint' must be a string, not a list
--- document
{"system_event_endpoint": ["builtin:echo"]}
