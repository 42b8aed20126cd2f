--- expect: field_type 3:63
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "required": "true"}]
}
