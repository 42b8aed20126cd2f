{
  "name": "http_request",
  "description": "Sends a request over HTTP and answers with what came back. A request that may change something carries the step's key as Idempotency-Key; a step that asks a service which ignores it sets \"effect\": \"at_most_once\".",
  "effect": "idempotent",
  "arguments": [
    {"name": "url", "type_name": "string", "description": "http:// or https://, without credentials. Link-local addresses and those of cloud metadata services are refused.", "required": true},
    {"name": "method", "type_name": "string", "description": "What to do.", "default_value": "GET", "enum": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]},
    {"name": "headers", "type_name": "object", "description": "Header names and their values: texts, numbers or booleans; null leaves one out. They are recorded with the chain, so no secrets."},
    {"name": "query", "type_name": "object", "description": "Is encoded and appended to the address: names and values; a list gives a name several times, null leaves it out."},
    {"name": "body", "type_name": "any", "description": "A text is sent as it is, any other value as JSON. The Content-Type fits unless headers give one."},
    {"name": "timeout", "type_name": "any", "description": "For the whole exchange: \"5s\", or a number of seconds; the timeout of the step cuts it.", "default_value": "30s"},
    {"name": "expected_status", "type_name": "list", "description": "The statuses that are an answer. Without it 200 to 299. Any other fails the step; 408, 429 and 5xx can be retried, not before Retry-After."},
    {"name": "accept_any_status", "type_name": "boolean", "description": "Whether every status is an answer.", "default_value": false}
  ],
  "responses": [
    {"name": "status", "type_name": "integer", "description": "Of the response.", "required": true},
    {"name": "headers", "type_name": "object", "description": "Of the response, names in lower case; of several of one name the values joined by commas.", "required": true},
    {"name": "body", "type_name": "any", "description": "The value where the response says that it is JSON and is, otherwise the text.", "required": false}
  ],
  "system_event_endpoint": "builtin:http_request"
}
