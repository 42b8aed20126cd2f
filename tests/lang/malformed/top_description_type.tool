--- expect: field_type 3:18 the definition: 'description' must be a string, not a number
--- document
{
  "system_event_endpoint": "builtin:echo",
  "description": 3
}
