--- expect: field_value 3:44
--- document
{
  "system_event_endpoint": "builtin:echo",
  "responses": [{"name": "x", "type_name": "dict"}]
}
