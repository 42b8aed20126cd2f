{
  "arguments": [
    {"name": "times", "type_name": "integer"},
    {"name": "message", "type_name": "string"},
    {"name": "code", "type_name": "string"}
  ],
  "responses": [{"name": "attempts", "type_name": "integer", "required": true}],
  "system_event_endpoint": "builtin:fail"
}
