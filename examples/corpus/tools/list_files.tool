{
  "description": "The files of a directory, sorted by name",
  "arguments": [
    {"name": "directory", "type_name": "string", "required": true},
    {"name": "pattern", "type_name": "string"}
  ],
  "responses": [
    {"name": "files", "type_name": "list", "required": true},
    {"name": "count", "type_name": "integer", "required": true}
  ],
  "system_event_endpoint": "builtin:list_files",
  "effect": "pure"
}
