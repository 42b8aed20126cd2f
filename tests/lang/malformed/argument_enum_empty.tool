--- expect: field_value 3:62 argument 'x': 'enum' is empty: nothing would be allowed; leave it out to allow anything
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "enum": []}]
}
