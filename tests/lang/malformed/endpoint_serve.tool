--- expect: program_not_found 2:28 no program server.py
--- document
{
  "system_event_endpoint": "serve:server.py"
}
