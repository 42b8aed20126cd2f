--- expect: program_not_found 2:28
--- document
{
  "system_event_endpoint": "serve:server.py"
}
