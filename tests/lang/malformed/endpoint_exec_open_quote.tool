--- expect: endpoint_unknown 2:28 'exec:run 'a b' has a quote that is not closed
--- document
{
  "system_event_endpoint": "exec:run 'a b"
}
