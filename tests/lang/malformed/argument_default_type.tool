--- expect: field_type 3:72 argument 'x': 'default_value' is 1.5, which is not of the type 'integer'
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "integer", "default_value": 1.5}]
}
