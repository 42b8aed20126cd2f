{
  "description": "The words a document is about",
  "arguments": [
    {"name": "document_path", "type_name": "string", "required": true},
    {"name": "analysis_mode", "type_name": "string", "enum": ["detailed", "comprehensive"], "description": "comprehensive: six words instead of three", "required": true},
    {"name": "context_data", "type_name": "list", "description": "all documents: file and pages", "required": true}
  ],
  "responses": [
    {"name": "insights", "type_name": "list", "description": "the most frequent long words, with how often", "required": true},
    {"name": "key_findings", "type_name": "string", "required": true},
    {"name": "metadata", "type_name": "object", "description": "filename, mode, and how many documents there are", "required": true}
  ],
  "system_event_endpoint": "exec:bin/detailed_analyzer.sh",
  "files": ["bin/frequent_words.sh"],
  "timeout": "30s",
  "effect": "pure"
}
