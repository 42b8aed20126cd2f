#include "lang/middle.hpp"
