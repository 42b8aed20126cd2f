{
  "name": "describe_file",
  "description": "Tells the attributes of the latest version of a file in the file store.",
  "effect": "idempotent",
  "arguments": [
    {"name": "file_path", "type_name": "file", "description": "A path in the file store, like /reports/may.txt.", "required": true}
  ],
  "responses": [
    {"name": "path", "type_name": "string", "description": "The path, normal and absolute.", "required": true},
    {"name": "file_name", "type_name": "string", "description": "The last part of the path.", "required": true},
    {"name": "parent_directory", "type_name": "string", "description": "The path of the directory it is in.", "required": true},
    {"name": "version_id", "type_name": "string", "description": "\"v1\", \"v2\", …: in the order they were put.", "required": true},
    {"name": "size", "type_name": "integer", "description": "In bytes.", "required": true},
    {"name": "added_on", "type_name": "string", "description": "When this version was put, in ISO 8601.", "required": true},
    {"name": "owner", "type_name": "string", "description": "As given when it was put.", "required": true},
    {"name": "group", "type_name": "string", "description": "As given when it was put.", "required": true},
    {"name": "metadata", "type_name": "object", "description": "As given when it was put.", "required": true},
    {"name": "sha256", "type_name": "string", "description": "Of the content, 64 hexadecimal digits.", "required": true}
  ],
  "system_event_endpoint": "builtin:describe_file"
}
