--- expect: yaml_syntax 1:1 the document is empty
--- document

