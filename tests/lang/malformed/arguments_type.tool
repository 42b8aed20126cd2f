--- expect: field_type 3:16
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": {"x": "string"}
}
