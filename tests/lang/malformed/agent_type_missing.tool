--- expect: field_missing 1:27
--- expect: field_value 1:64
--- expect: field_value 1:120
--- document
{"argument_definitions": [{"name": "x"}, {"name": "y", "type": "int"}], "response_definitions": [{"name": "z", "type": "strin"}], "system_event_endpoint": "builtin:echo"}
