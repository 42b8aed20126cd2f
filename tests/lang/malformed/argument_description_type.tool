--- expect: field_type 3:66 argument 'x': 'description' must be a string, not an object
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "description": {}}]
}
