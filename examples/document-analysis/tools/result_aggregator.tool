{
  "description": "One entry a document for the report; a composite without a program: its one step sends on what its transform makes",
  "arguments": [
    {"name": "analysis_level", "type_name": "string", "required": true},
    {"name": "total_documents", "type_name": "integer", "required": true},
    {"name": "analysis_summary", "type_name": "list", "description": "for each document: file and status", "required": true},
    {"name": "combined_insights", "type_name": "string", "description": "empty for a basic analysis", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "describe",
      "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo", "effect": "pure"},
      "transform_arguments": {
        "variables": {
          "documents": "REF:arguments.analysis_summary",
          "level": "REF:arguments.analysis_level",
          "total": "REF:arguments.total_documents"
        },
        "transforms": {
          "summary": "map(documents, {description: item.file + ': ' + item.status + ', ' + level + ' analysis of ' + to_string(total), success_count: if(item.status == 'extracted', 1, 0), key_point: item.file + ' was ' + item.status})"
        }
      }
    }
  ],
  "responses": [
    {"name": "summary", "type_name": "list", "description": "for each document: description, success_count, key_point", "required": true},
    {"name": "insights", "type_name": "string", "required": true}
  ],
  "response_reference_map": {"summary": "REF:describe.summary", "insights": "REF:arguments.combined_insights"}
}
