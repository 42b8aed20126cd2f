--- expect: field_missing 3:17
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x"}]
}
