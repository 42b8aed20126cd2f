--- expect: yaml_syntax 1:1
--- document

