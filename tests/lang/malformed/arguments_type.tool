--- expect: field_type 3:16 the definition: 'arguments' must be a list, not an object
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": {"x": "string"}
}
