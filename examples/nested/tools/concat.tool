{
  "arguments": [{"name": "parts", "type_name": "list", "required": true}],
  "responses": [{"name": "text", "type_name": "string", "required": true}],
  "system_event_endpoint": "builtin:concat"
}
