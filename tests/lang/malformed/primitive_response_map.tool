--- expect: fields_exclusive 3:29 the definition: 'response_reference_map' belongs to composites: a definition with 'system_event_endpoint' has no steps
--- document
{
  "system_event_endpoint": "builtin:echo",
  "response_reference_map": {}
}
