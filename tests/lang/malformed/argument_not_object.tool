--- expect: field_type 3:17 the definition: 'arguments' must be a list of objects; this element is a string
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": ["x"]
}
