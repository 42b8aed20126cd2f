--- expect: dialect_ambiguous 1:1
--- document
{"arguments": [], "argument_definitions": [], "system_event_endpoint": "builtin:echo"}
