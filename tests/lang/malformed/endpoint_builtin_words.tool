--- expect: endpoint_unknown 2:28 'builtin:echo loud': a builtin takes its arguments as JSON, not as words behind its name
--- document
{
  "system_event_endpoint": "builtin:echo loud"
}
