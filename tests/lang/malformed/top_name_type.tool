--- expect: field_type 3:11
--- document
{
  "system_event_endpoint": "builtin:echo",
  "name": ["x"]
}
