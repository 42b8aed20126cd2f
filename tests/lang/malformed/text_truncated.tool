--- expect: json_syntax 2:1 not valid JSON: unexpected end of input; expected '[', '{', or a literal
--- document
{"instructions": [
