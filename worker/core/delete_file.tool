{
  "name": "delete_file",
  "description": "Deletes a file from the file store. Its versions can still be read by their id; a file that is not there is no error.",
  "effect": "idempotent",
  "arguments": [
    {"name": "file_path", "type_name": "file", "description": "A path in the file store, like /reports/may.txt.", "required": true}
  ],
  "responses": [
    {"name": "path", "type_name": "string", "description": "The path, normal and absolute.", "required": true},
    {"name": "deleted", "type_name": "boolean", "description": "Whether there was such a file.", "required": true}
  ],
  "system_event_endpoint": "builtin:delete_file"
}
