--- expect: field_type 3:14
--- document
{
  "system_event_endpoint": "builtin:echo",
  "version": true
}
