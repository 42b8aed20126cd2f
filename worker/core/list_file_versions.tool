{
  "name": "list_file_versions",
  "description": "Lists the versions of a file in the file store, the newest first.",
  "effect": "idempotent",
  "arguments": [
    {"name": "file_path", "type_name": "file", "description": "A path in the file store, like /reports/may.txt.", "required": true}
  ],
  "responses": [
    {"name": "path", "type_name": "string", "description": "The path, normal and absolute.", "required": true},
    {"name": "versions", "type_name": "list", "description": "One object a version with path, file_name, parent_directory, version_id, size, added_on, owner, group, metadata and sha256.", "required": true},
    {"name": "count", "type_name": "integer", "description": "How many there are.", "required": true}
  ],
  "system_event_endpoint": "builtin:list_file_versions"
}
