{
  "description": "Writes the report, a file in Markdown",
  "arguments": [
    {"name": "executive_summary", "type_name": "string", "description": "points, separated by a new line and a bullet", "required": true},
    {"name": "document_stats", "type_name": "list", "description": "for each document: name and pages", "required": true},
    {"name": "document_count", "type_name": "integer", "required": true}
  ],
  "responses": [{"name": "report_file", "type_name": "file", "required": true}],
  "system_event_endpoint": "exec:bin/report_generator.sh",
  "timeout": "30s"
}
