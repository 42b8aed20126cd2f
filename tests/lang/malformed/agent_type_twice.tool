--- expect: fields_exclusive 1:49
--- document
{"argument_definitions": [{"name": "x", "type": "string", "type_name": "string"}], "system_event_endpoint": "builtin:echo"}
