#pragma once
#include "lang/middle.hpp"
// #include <forbidden/library.h> in a comment is none
