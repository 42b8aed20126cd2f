#include <forbidden/library.h>
