--- expect: field_unknown 3:51 argument 'x': 'default' is not a field that is known here
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any", "default": 1}]
}
