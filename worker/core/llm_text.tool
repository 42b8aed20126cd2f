{
  "name": "llm_text",
  "description": "Asks a language model behind any chat endpoint that OpenAI's clients understand. Which one, and where its key is, say the settings llm.base_url, llm.model, llm.api_key_file and llm.api_key_env.",
  "effect": "idempotent",
  "arguments": [
    {"name": "prompt", "type_name": "string", "description": "What to ask."},
    {"name": "messages", "type_name": "list", "description": "Instead of prompt: a conversation of objects {\"role\": \"user\", \"content\": …}."},
    {"name": "system", "type_name": "string", "description": "What stands before all messages, in the role of system."},
    {"name": "model", "type_name": "string", "description": "The model to ask. Without it the setting llm.model."},
    {"name": "temperature", "type_name": "number", "description": "How much chance there is in the answer. Without it what the endpoint takes."},
    {"name": "max_tokens", "type_name": "integer", "description": "The longest answer, in tokens."},
    {"name": "response_format", "type_name": "string", "description": "json asks for JSON and gives it as value; an answer that is none can be retried.", "default_value": "text", "enum": ["text", "json"]},
    {"name": "timeout", "type_name": "any", "description": "For the whole exchange: \"90s\", or a number of seconds; the timeout of the step cuts it.", "default_value": "120s"}
  ],
  "responses": [
    {"name": "text", "type_name": "string", "description": "What the model said.", "required": true},
    {"name": "json", "type_name": "any", "description": "Of response_format json: the value."},
    {"name": "model", "type_name": "string", "description": "The model that answered.", "required": true},
    {"name": "finish_reason", "type_name": "string", "description": "Why the answer ended, as the endpoint says it: stop, length, …."},
    {"name": "usage", "type_name": "object", "description": "Tokens, as the endpoint counts them.", "required": true}
  ],
  "system_event_endpoint": "builtin:llm_text"
}
