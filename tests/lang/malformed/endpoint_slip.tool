--- expect: endpoint_unknown 2:28 nothing executes endpoints of the form 'bultin:echo'; write builtin:<name>, exec:<program> [args…], serve:<program> [args…], http://…, https://…, remote:<capability> or signal:<name>; did you mean 'builtin'?
--- document
{
  "system_event_endpoint": "bultin:echo"
}
