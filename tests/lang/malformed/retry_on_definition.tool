--- expect: field_value 3:23
--- document
{
  "system_event_endpoint": "builtin:echo",
  "retry": {"jitter": -1}
}
