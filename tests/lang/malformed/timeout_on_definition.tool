--- expect: field_value 3:14
--- document
{
  "system_event_endpoint": "builtin:echo",
  "timeout": "x"
}
