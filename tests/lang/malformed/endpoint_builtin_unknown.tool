--- expect: builtin_unknown 2:28 there is no builtin 'ecko'; did you mean 'echo'?
--- document
{
  "system_event_endpoint": "builtin:ecko"
}
