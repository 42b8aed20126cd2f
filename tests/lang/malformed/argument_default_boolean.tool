--- expect: field_type 3:71
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "number", "default_value": true}]
}
