--- expect: id_duplicate 3:61 response 'x': 'name' 'x' is declared twice
--- document
{
  "system_event_endpoint": "builtin:echo",
  "responses": [{"name": "x", "type_name": "any"}, {"name": "x", "type_name": "any"}]
}
