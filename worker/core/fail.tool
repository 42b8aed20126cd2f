{
  "name": "fail",
  "description": "Fails with the error that it is told: for a branch of a chain that must not be reached, or input that makes no sense.",
  "effect": "pure",
  "arguments": [
    {"name": "message", "type_name": "string", "description": "What is wrong and what to do, for a person.", "required": true},
    {"name": "code", "type_name": "string", "description": "One of the codes that `catena errors` lists.", "default_value": "tool_failed"},
    {"name": "retryable", "type_name": "boolean", "description": "Whether another attempt may help. Without it, what the code says."},
    {"name": "details", "type_name": "object", "description": "Anything for programs; reached as REF:<step>.error.details."}
  ],
  "responses": [],
  "system_event_endpoint": "builtin:raise"
}
