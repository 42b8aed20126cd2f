{
  "description": "How many lines, words, characters and bytes a file has",
  "arguments": [{"name": "path", "type_name": "string", "required": true}],
  "responses": [
    {"name": "lines", "type_name": "integer", "required": true},
    {"name": "words", "type_name": "integer", "required": true},
    {"name": "characters", "type_name": "integer", "required": true},
    {"name": "bytes", "type_name": "integer", "required": true}
  ],
  "system_event_endpoint": "builtin:word_count",
  "effect": "pure"
}
