--- expect: field_missing 3:17 argument 'x' needs 'type_name': one of string, number, integer, boolean, object, list, file, any
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x"}]
}
