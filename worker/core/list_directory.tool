{
  "name": "list_directory",
  "description": "Lists the files in a directory of the file store, not below it, with their attributes, by path.",
  "effect": "idempotent",
  "arguments": [
    {"name": "directory_path", "type_name": "string", "description": "A directory of the file store, like /reports.", "required": true},
    {"name": "pattern", "type_name": "string", "description": "Of the file name, as in a shell: \"*.txt\". Without it all."},
    {"name": "limit", "type_name": "integer", "description": "The most files to list, 1 to 10000.", "default_value": 1000}
  ],
  "responses": [
    {"name": "path", "type_name": "string", "description": "The path, normal and absolute.", "required": true},
    {"name": "files", "type_name": "list", "description": "One object a file with path, file_name, parent_directory, version_id, size, added_on, owner, group, metadata and sha256 of its latest version.", "required": true},
    {"name": "count", "type_name": "integer", "description": "How many are listed.", "required": true},
    {"name": "truncated", "type_name": "boolean", "description": "Whether there are more than the limit.", "required": true}
  ],
  "system_event_endpoint": "builtin:list_directory"
}
