--- expect: field_value 3:14 the definition: 'timeout' must be a duration such as "250ms", "5s", "2m", "1h" or "7d", not "x"
--- document
{
  "system_event_endpoint": "builtin:echo",
  "timeout": "x"
}
