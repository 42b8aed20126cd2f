--- expect: endpoint_unknown 2:28 'builtin:' names no builtin; write builtin:<name>
--- document
{
  "system_event_endpoint": "builtin:"
}
