--- expect: endpoint_unknown 2:28 the endpoint 'https://…' must hold no credentials; write https://host[:port]/path
--- document
{
  "system_event_endpoint": "https://user:word@localhost/x"
}
