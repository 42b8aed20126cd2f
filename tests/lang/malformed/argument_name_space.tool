--- expect: id_invalid 3:26 argument 'a b': 'name' must not be empty or have dots, brackets or white space in it: no reference could reach it
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "a b", "type_name": "string"}]
}
