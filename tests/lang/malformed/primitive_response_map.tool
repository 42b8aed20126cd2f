--- expect: fields_exclusive 3:29
--- document
{
  "system_event_endpoint": "builtin:echo",
  "response_reference_map": {}
}
