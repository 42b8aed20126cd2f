{
  "arguments": [{"name": "values", "type_name": "list", "required": true}],
  "responses": [{"name": "sum", "type_name": "number", "required": true}, {"name": "count", "type_name": "integer", "required": true}],
  "system_event_endpoint": "builtin:sum"
}
