--- expect: endpoint_unknown 2:28 '' is not an endpoint; write builtin:<name>, exec:<program> [args…], serve:<program> [args…], http://…, https://…, remote:<capability> or signal:<name>
--- document
{
  "system_event_endpoint": ""
}
