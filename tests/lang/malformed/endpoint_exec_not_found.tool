--- expect: program_not_found 2:28 no program nowhere.sh
--- document
{
  "system_event_endpoint": "exec:nowhere.sh --x"
}
