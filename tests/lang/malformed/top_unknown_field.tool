--- expect: field_unknown 3:3
--- document
{
  "system_event_endpoint": "builtin:echo",
  "descriptoin": "x"
}
