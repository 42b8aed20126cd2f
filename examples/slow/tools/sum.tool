{
  "description": "Adds up a member of every object of a list",
  "arguments": [
    {"name": "values", "type_name": "list", "required": true},
    {"name": "key", "type_name": "string", "required": true}
  ],
  "responses": [
    {"name": "sum", "type_name": "number", "required": true},
    {"name": "count", "type_name": "integer", "required": true}
  ],
  "system_event_endpoint": "builtin:sum",
  "effect": "pure"
}
