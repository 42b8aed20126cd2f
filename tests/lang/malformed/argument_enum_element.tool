--- expect: field_type 3:68 argument 'x': 'enum' has 2, which is not of the type 'string'
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "enum": ["a", 2]}]
}
