--- expect: field_type 3:66
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "description": {}}]
}
