--- expect: fields_exclusive 3:21
--- document
{
  "system_event_endpoint": "builtin:echo",
  "failure_policy": "cancel"
}
