#include "lang/middle.hpp"








// the tenth line
