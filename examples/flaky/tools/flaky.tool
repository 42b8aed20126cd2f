{
  "description": "Fails as often as it is told to",
  "arguments": [{"name": "failures", "type_name": "integer", "required": true}],
  "responses": [{"name": "attempts", "type_name": "integer", "required": true}],
  "system_event_endpoint": "exec:bin/flaky.sh",
  "timeout": "10s"
}
