--- expect: field_type 2:66
--- expect: field_type 2:89
--- document
{"system_event_endpoint": "builtin:echo",
 "arguments": [{"name": "x", "type_name": "file", "enum": ["/a", "b"], "default_value": "../c"}]}
