--- expect: endpoint_unmapped 2:28
--- document
{
  "system_event_endpoint": "ratio::echo"
}
