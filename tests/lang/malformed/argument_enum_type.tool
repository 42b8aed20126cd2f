--- expect: field_type 3:62
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "enum": "a"}]
}
