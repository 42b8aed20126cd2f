--- expect: field_type 3:27 the definition: 'additional_arguments' must be a boolean, not a string
--- document
{
  "system_event_endpoint": "builtin:echo",
  "additional_arguments": "yes"
}
