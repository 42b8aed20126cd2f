{
  "description": "What a text is made of; a process of its own",
  "arguments": [{"name": "path", "type_name": "string", "required": true}],
  "responses": [
    {"name": "name", "type_name": "string", "required": true},
    {"name": "words", "type_name": "integer", "required": true},
    {"name": "sentences", "type_name": "integer", "required": true},
    {"name": "paragraphs", "type_name": "integer", "required": true},
    {"name": "longest_word", "type_name": "string", "required": true},
    {"name": "most_frequent", "type_name": "list", "description": "words of five letters or more", "required": true},
    {"name": "line", "type_name": "string", "description": "the same, for a report", "required": true}
  ],
  "system_event_endpoint": "exec:bin/analyse.sh",
  "timeout": "30s",
  "effect": "pure"
}
