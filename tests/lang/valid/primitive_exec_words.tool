--- expect: program case: takes (), gives (more)
--- expect: step case: after [], calls tool case (exec:/opt/bin/run.sh ["-n","3","a b","c'd","efg",""]), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs <step0>
--- document
{
  "system_event_endpoint": "exec:run.sh  -n  3 'a b' \"c'd\" e\"f\"g ''"
}
