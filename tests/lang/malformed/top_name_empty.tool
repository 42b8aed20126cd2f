--- expect: field_value 3:11
--- document
{
  "system_event_endpoint": "builtin:echo",
  "name": ""
}
