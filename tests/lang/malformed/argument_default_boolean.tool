--- expect: field_type 3:71 argument 'x': 'default_value' is true, which is not of the type 'number'
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "number", "default_value": true}]
}
