{
  "description": "What can be seen of a document at first sight",
  "arguments": [{"name": "document_path", "type_name": "string", "required": true}],
  "responses": [
    {"name": "filename", "type_name": "string", "required": true},
    {"name": "page_count", "type_name": "integer", "description": "of 40 lines each", "required": true},
    {"name": "word_count", "type_name": "integer", "required": true},
    {"name": "summary", "type_name": "string", "description": "name and first line", "required": true},
    {"name": "status", "type_name": "string", "enum": ["extracted"], "required": true}
  ],
  "system_event_endpoint": "exec:bin/basic_extractor.sh",
  "timeout": "30s",
  "effect": "pure"
}
