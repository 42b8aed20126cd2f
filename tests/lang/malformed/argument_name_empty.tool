--- expect: id_invalid 3:26
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "", "type_name": "string"}]
}
