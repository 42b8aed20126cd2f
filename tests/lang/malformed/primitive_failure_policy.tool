--- expect: fields_exclusive 3:21 the definition: 'failure_policy' belongs to composites: a definition with 'system_event_endpoint' has no steps
--- document
{
  "system_event_endpoint": "builtin:echo",
  "failure_policy": "cancel"
}
