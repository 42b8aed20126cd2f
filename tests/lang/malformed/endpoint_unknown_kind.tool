--- expect: endpoint_unmapped 2:28 the configuration maps the endpoint 'ratio::echo' to nothing
--- document
{
  "system_event_endpoint": "ratio::echo"
}
