--- expect: program case: takes (more), gives (more)
--- expect: step case: after [], calls tool case (builtin:echo []), ok settle, failed fail
--- expect:   bind <input>
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "builtin:echo",
  "additional_arguments": true
}
