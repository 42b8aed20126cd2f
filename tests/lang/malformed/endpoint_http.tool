--- expect: endpoint_unknown 2:28 the endpoint 'http:localhost/x' must go on with '//' and a host; write http://host[:port]/path
--- document
{
  "system_event_endpoint": "http:localhost/x"
}
