{"name": "gate", "arguments": [{"name": "file", "type_name": "string", "required": true}, {"name": "n", "type_name": "any"}], "system_event_endpoint": "exec:gate.sh"}
