--- expect: dialect_ambiguous 1:1 the document fits more than one dialect; keep the fields of one
--- document
{"arguments": [], "argument_definitions": [], "system_event_endpoint": "builtin:echo"}
