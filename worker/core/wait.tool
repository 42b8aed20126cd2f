{
  "name": "wait",
  "description": "Waits for a time to pass. The wait is durable: it goes on after a restart, and holds no slot of a worker while more than a second is left.",
  "effect": "idempotent",
  "arguments": [
    {"name": "duration", "type_name": "any", "description": "How long, from the begin of the step: \"250ms\", \"5s\", \"2m\", \"1h\", \"7d\", or a number of seconds; at most a year."},
    {"name": "until", "type_name": "string", "description": "Instead of duration: a point in time in ISO 8601, \"2027-01-31T08:00:00Z\"; without an offset UTC. One that has passed waits for nothing."}
  ],
  "responses": [
    {"name": "waited_ms", "type_name": "integer", "description": "From the begin of the step to the end of the wait, in milliseconds.", "required": true},
    {"name": "until", "type_name": "string", "description": "When the wait was over, in ISO 8601.", "required": true}
  ],
  "system_event_endpoint": "builtin:wait"
}
