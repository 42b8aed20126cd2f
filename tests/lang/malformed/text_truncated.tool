--- expect: json_syntax 2:1 not valid JSON: the end of the text stands where a value is expected
--- document
{"instructions": [
