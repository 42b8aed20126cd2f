--- expect: field_type 3:18
--- document
{
  "system_event_endpoint": "builtin:echo",
  "description": 3
}
