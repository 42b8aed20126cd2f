--- expect: fields_exclusive 1:49 argument 'x': 'type' and 'type_name' say the same; keep one
--- document
{"argument_definitions": [{"name": "x", "type": "string", "type_name": "string"}], "system_event_endpoint": "builtin:echo"}
