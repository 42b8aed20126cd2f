{
  "description": "Which of some files can be analysed: readable texts that are not empty",
  "arguments": [{"name": "file_paths", "type_name": "list", "description": "paths of files", "required": true}],
  "responses": [
    {"name": "validation_results", "type_name": "list", "description": "for each file: path, is_valid, error_message (empty when it is valid)", "required": true},
    {"name": "valid_documents", "type_name": "list", "description": "paths of the valid ones, in order", "required": true}
  ],
  "system_event_endpoint": "exec:bin/document_validator.sh",
  "timeout": "30s",
  "effect": "pure"
}
