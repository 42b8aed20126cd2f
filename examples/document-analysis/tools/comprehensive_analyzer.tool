{
  "description": "What a document has in common with the others",
  "arguments": [
    {"name": "document_path", "type_name": "string", "required": true},
    {"name": "combined_context", "type_name": "list", "description": "all documents: analysis and metadata of the detailed analysis", "required": true},
    {"name": "processing_summary", "type_name": "string", "description": "the basic summaries, a line each", "required": true}
  ],
  "responses": [
    {"name": "filename", "type_name": "string", "required": true},
    {"name": "shared_words", "type_name": "list", "description": "words that this document and another are about", "required": true},
    {"name": "compared_with", "type_name": "integer", "required": true}
  ],
  "system_event_endpoint": "exec:bin/comprehensive_analyzer.sh",
  "timeout": "30s",
  "effect": "pure"
}
