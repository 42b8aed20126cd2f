--- expect: id_duplicate 4:14 argument 'x': 'name' 'x' is declared twice
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "any"},
    {"name": "x", "type_name": "any"}]
}
