{
  "name": "combine_content",
  "description": "Joins texts and files of the file store into one text.",
  "effect": "idempotent",
  "arguments": [
    {"name": "parts", "type_name": "list", "description": "In their order: texts, numbers, booleans, null (nothing), objects {\"text\": …} and {\"file_path\": …, \"version_id\": …}."},
    {"name": "file_paths", "type_name": "list", "description": "Further parts, behind the others: paths of files in the file store; null is nothing."},
    {"name": "separator", "type_name": "string", "description": "Between two parts.", "default_value": "\n"},
    {"name": "header", "type_name": "string", "description": "A template that is put before each part; it can name index, and of a file path, file_name, parent_directory, version_id, size, added_on, owner, group, metadata and sha256, which are null of a text: \"## {{ file_name }}\\n\"."}
  ],
  "responses": [
    {"name": "text", "type_name": "string", "description": "All parts, one after another.", "required": true},
    {"name": "count", "type_name": "integer", "description": "How many parts that were.", "required": true},
    {"name": "size", "type_name": "integer", "description": "Of the text, in bytes.", "required": true}
  ],
  "system_event_endpoint": "builtin:combine_content"
}
