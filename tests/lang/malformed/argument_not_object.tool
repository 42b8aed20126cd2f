--- expect: field_type 3:17
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": ["x"]
}
