--- expect: feature_unavailable 2:28 'mcp:' endpoints are not in this version; it executes builtin:<name>, exec:<program> [args…], serve:<program> [args…], http://…, https://…, remote:<capability> or signal:<name>
--- document
{
  "system_event_endpoint": "mcp:server/tool"
}
