--- expect: field_type 2:66 argument 'x': 'enum' has "b", which is not of the type 'file'
--- expect: field_type 2:89 argument 'x': 'default_value' is "../c", which is not of the type 'file'
--- document
{"system_event_endpoint": "builtin:echo",
 "arguments": [{"name": "x", "type_name": "file", "enum": ["/a", "b"], "default_value": "../c"}]}
