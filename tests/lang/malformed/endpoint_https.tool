--- expect: endpoint_unknown 2:28
--- document
{
  "system_event_endpoint": "https://user:word@localhost/x"
}
