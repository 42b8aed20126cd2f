--- expect: feature_unavailable 3:44
--- document
{
  "system_event_endpoint": "builtin:echo",
  "responses": [{"name": "x", "type_name": "file"}]
}
