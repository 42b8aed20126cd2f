--- expect: field_type 3:63 argument 'x': 'required' must be a boolean, not a string
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "required": "true"}]
}
