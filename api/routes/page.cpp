// The web page.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kToPage{Documented{302, "", "the page is at `/ui/`", {}, {}, "text/plain"}};
constexpr std::array kPage{Documented{200, "", "the page", {}, {}, "text/html"},
                           Documented{304, "", "it is the one that `If-None-Match` names", {}, {}, "text/html"}};
constexpr std::array kPageFile{Documented{200, "", "the file, of the type that its name has", {}, {}, "application/octet-stream"},
                               Documented{304, "", "it is the one that `If-None-Match` names", {}, {}, "application/octet-stream"},
                               Documented{404, "Problem", "the page has no such file"}};

constexpr std::array kPageRoutes{
    Route{Verb::get, "/", "goToPage", "Page", Role::anyone, "to the web page", "", {}, "", 0, kToPage, Instant{go_to_page}},
    Route{Verb::get, "/ui", "goToPageItself", "Page", Role::anyone, "to the web page", "", {}, "", 0, kToPage, Instant{go_to_page}},
    Route{Verb::get,
          "/ui/",
          "sendPage",
          "Page",
          Role::anyone,
          "the web page",
          "It holds nothing of any chain, and so asks for no token: what it shows it asks of the other routes, with the token that its reader gives "
          "it.",
          {},
          "",
          0,
          kPage,
          Instant{send_page}},
    Route{Verb::get,
          "/ui/{file}",
          "sendPageFile",
          "Page",
          Role::anyone,
          "a file of the web page",
          "Names that have a hash of their content stay in the cache of the browser for good.",
          {},
          "",
          0,
          kPageFile,
          Instant{send_page_file}},
};
static_assert(are_whole(kPageRoutes));

}  // namespace

std::span<const Route> page_routes() { return kPageRoutes; }

}  // namespace catena::api
