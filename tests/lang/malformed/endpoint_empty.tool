--- expect: endpoint_unknown 2:28 '' is not an endpoint; write builtin:<name>, exec:<program> [args…], serve:<program> [args…], http://…, https://… or remote:<capability>
--- document
{
  "system_event_endpoint": ""
}
