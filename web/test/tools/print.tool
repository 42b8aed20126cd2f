{"name": "print", "arguments": [{"name": "text", "type_name": "any", "required": true}], "system_event_endpoint": "exec:print.sh"}
