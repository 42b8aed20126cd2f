--- expect: endpoint_unknown 2:28 'exec:' names no program; write exec:<program> [args…]
--- document
{
  "system_event_endpoint": "exec:'' a"
}
