{
  "arguments": [{"name": "text", "type_name": "string", "required": true}],
  "responses": [{"name": "sha256", "type_name": "string", "required": true}],
  "system_event_endpoint": "builtin:sha256"
}
