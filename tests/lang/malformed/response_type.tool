--- expect: field_value 3:44 response 'x': 'type_name' must be 'object', which is what 'dict' is called here
--- document
{
  "system_event_endpoint": "builtin:echo",
  "responses": [{"name": "x", "type_name": "dict"}]
}
