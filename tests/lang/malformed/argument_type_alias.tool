--- expect: field_value 3:44 argument 'x': 'type_name' must be 'list', which is what 'array' is called here
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "array"}]
}
