--- expect: field_type 3:14 the definition: 'version' must be a string or a number, not a boolean
--- document
{
  "system_event_endpoint": "builtin:echo",
  "version": true
}
