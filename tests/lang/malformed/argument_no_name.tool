--- expect: field_missing 3:17 an entry of 'arguments' needs 'name': what references call it
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"type_name": "string"}]
}
