{
  "description": "The findings as a text",
  "arguments": [
    {"name": "directory", "type_name": "string", "required": true},
    {"name": "documents", "type_name": "integer", "required": true},
    {"name": "words_total", "type_name": "integer", "required": true},
    {"name": "longest", "type_name": "list", "description": "objects with a line", "required": true},
    {"name": "note", "type_name": "string"}
  ],
  "responses": [{"name": "report", "type_name": "string", "required": true}],
  "system_event_endpoint": "exec:bin/report.sh",
  "timeout": "30s",
  "effect": "pure"
}
