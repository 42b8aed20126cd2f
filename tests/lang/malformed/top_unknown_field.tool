--- expect: field_unknown 3:3 the definition: 'descriptoin' is not a field that is known here; did you mean 'description'?
--- document
{
  "system_event_endpoint": "builtin:echo",
  "descriptoin": "x"
}
