--- expect: field_type 3:26 an entry of 'arguments': 'name' must be a string, not a number
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": 1, "type_name": "string"}]
}
