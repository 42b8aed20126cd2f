--- expect: dialect_unknown 1:1 the document is in none of the dialects
--- document
{}
