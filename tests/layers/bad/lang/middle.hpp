#include "base/low.hpp"
#include "absent/file.hpp"
#include "near.hpp"
const char* text = "http://example.org";
#include <forbidden/library.h>
