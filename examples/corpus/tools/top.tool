{
  "description": "The objects of a list that have the greatest numbers",
  "arguments": [
    {"name": "items", "type_name": "list", "required": true},
    {"name": "by", "type_name": "string", "required": true},
    {"name": "count", "type_name": "integer"}
  ],
  "responses": [{"name": "items", "type_name": "list", "required": true}],
  "system_event_endpoint": "builtin:top",
  "effect": "pure"
}
