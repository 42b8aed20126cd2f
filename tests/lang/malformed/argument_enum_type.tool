--- expect: field_type 3:62 argument 'x': 'enum' must be a list, not a string
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "enum": "a"}]
}
