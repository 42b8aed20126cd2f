--- expect: field_unknown 3:51
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "default": 1}]
}
