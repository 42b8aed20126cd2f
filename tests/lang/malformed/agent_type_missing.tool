--- expect: field_missing 1:27 argument 'x' needs 'type_name': one of string, number, integer, boolean, object, list, file, any
--- expect: field_value 1:64 argument 'y': 'type' must be 'integer', which is what 'int' is called here
--- expect: field_value 1:120 response 'z': 'type' must be one of string, number, integer, boolean, object, list, file, any, not 'strin'; did you mean 'string'?
--- document
{"argument_definitions": [{"name": "x"}, {"name": "y", "type": "int"}], "response_definitions": [{"name": "z", "type": "strin"}], "system_event_endpoint": "builtin:echo"}
