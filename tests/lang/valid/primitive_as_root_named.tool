--- expect: program shout: takes (), gives (more)
--- expect: step shout: after [], calls tool shout (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "name": "shout", "version": 2, "description": "Says it louder."
}
