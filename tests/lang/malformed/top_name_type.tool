--- expect: field_type 3:11 the definition: 'name' must be a string, not a list
--- document
{
  "system_event_endpoint": "builtin:echo",
  "name": ["x"]
}
