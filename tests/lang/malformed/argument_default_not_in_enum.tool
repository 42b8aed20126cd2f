--- expect: field_value 3:86 argument 'x': 'default_value' is "b", which is not in 'enum'
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "string", "enum": ["a"], "default_value": "b"}]
}
