--- expect: field_type 3:72
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "integer", "default_value": 1.5}]
}
