--- expect: feature_unavailable 3:44
--- document
{
  "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "file"}]
}
