--- expect: field_type 3:44 argument 'x': 'type_name' must be a string, not null
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": null}]
}
