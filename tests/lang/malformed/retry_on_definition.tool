--- expect: field_value 3:23 the definition: retry: 'jitter' must be from 0 to 1, not -1
--- document
{
  "system_event_endpoint": "builtin:echo",
  "retry": {"jitter": -1}
}
