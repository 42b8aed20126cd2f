--- expect: field_value 3:44 argument 'x': 'type_name' must be one of string, number, integer, boolean, object, list, file, any, not 'strng'; did you mean 'string'?
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "strng"}]
}
