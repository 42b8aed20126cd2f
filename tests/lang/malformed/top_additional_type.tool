--- expect: field_type 3:27
--- document
{
  "system_event_endpoint": "builtin:echo",
  "additional_arguments": "yes"
}
