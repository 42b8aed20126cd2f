{
  "name": "delete_directory",
  "description": "Deletes all files below a directory of the file store. The store as a whole cannot be deleted this way.",
  "effect": "idempotent",
  "arguments": [
    {"name": "directory_path", "type_name": "string", "description": "A directory of the file store, like /reports.", "required": true}
  ],
  "responses": [
    {"name": "path", "type_name": "string", "description": "The path, normal and absolute.", "required": true},
    {"name": "deleted_count", "type_name": "integer", "description": "How many files that were.", "required": true}
  ],
  "system_event_endpoint": "builtin:delete_directory"
}
