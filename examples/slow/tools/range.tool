{
  "arguments": [{"name": "count", "type_name": "integer", "required": true}],
  "responses": [{"name": "items", "type_name": "list", "required": true}],
  "system_event_endpoint": "builtin:range"
}
