--- expect: endpoint_unknown 2:28 the capability of 'remote:gpu 8' must be made of letters, digits, '_', '.' and '-'
--- document
{
  "system_event_endpoint": "remote:gpu 8"
}
