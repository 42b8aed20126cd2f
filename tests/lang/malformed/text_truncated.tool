--- expect: json_syntax 2:1
--- document
{"instructions": [
