--- expect: id_duplicate 3:61
--- document
{
  "system_event_endpoint": "builtin:echo",
  "responses": [{"name": "x", "type_name": "any"}, {"name": "x", "type_name": "any"}]
}
