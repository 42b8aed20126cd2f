--- expect: field_type 3:26
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": 1, "type_name": "string"}]
}
