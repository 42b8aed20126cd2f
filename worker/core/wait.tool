{
  "name": "wait",
  "description": "Waits for a time to pass. The wait is durable: it goes on after a restart, and holds no slot of a worker while more than a second is left.",
  "effect": "idempotent",
  "arguments": [
    {"name": "for", "type_name": "any", "description": "How long, from the begin of the step: \"250ms\", \"5s\", \"2m\", \"1h\", \"7d\", or a number of seconds; at most a year."},
    {"name": "duration", "type_name": "any", "description": "The same: what `for` was called before."},
    {"name": "until", "type_name": "string", "description": "Instead of that: a point in time as RFC 3339 has it, \"2027-01-31T08:00:00Z\" or \"2027-01-31T08:00:00+01:00\"; without an offset what clocks of `timezone` show. One that has passed waits for nothing."},
    {"name": "timezone", "type_name": "string", "description": "Whose clocks `until` means: \"Europe/Berlin\", \"+02:00\"; by default UTC. A time that they skip is as much later, of one that they show twice the first is meant."}
  ],
  "responses": [
    {"name": "waited_ms", "type_name": "integer", "description": "From the begin of the step to the end of the wait, in milliseconds.", "required": true},
    {"name": "until", "type_name": "string", "description": "When the wait was due to be over, in ISO 8601.", "required": true},
    {"name": "woke_at", "type_name": "string", "description": "When the step went on, in ISO 8601: `until`, or later where nobody could go on with it then."}
  ],
  "system_event_endpoint": "builtin:wait"
}
