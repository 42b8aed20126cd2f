--- expect: feature_unavailable 2:28
--- document
{
  "system_event_endpoint": "https://localhost/x"
}
