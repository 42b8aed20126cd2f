--- expect: field_value 3:11 the definition: 'name' must not be empty
--- document
{
  "system_event_endpoint": "builtin:echo",
  "name": ""
}
