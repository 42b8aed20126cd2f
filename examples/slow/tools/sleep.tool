{
  "arguments": [
    {"name": "duration", "type_name": "string", "required": true},
    {"name": "number", "type_name": "integer", "description": "tells the items apart; not used"}
  ],
  "responses": [{"name": "slept_ms", "type_name": "integer", "required": true}],
  "system_event_endpoint": "builtin:sleep"
}
