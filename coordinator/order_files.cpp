#include "coordinator/order_files.hpp"

#include "lang/program/endpoint.hpp"

namespace catena::coordinator {

std::vector<std::string> file_names(const lang::Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields) {
    if (field.type == lang::Type::file) names.push_back(field.name);
  }
  return names;
}

std::vector<actors::PlaceInBundle> places_in_bundle(const lang::Package& package, const lang::Endpoint& endpoint) {
  std::vector<actors::PlaceInBundle> places;
  const auto bundle = lang::runs_program(endpoint) ? package.bundled.find(lang::bundle_key(endpoint)) : package.bundled.end();
  if (bundle == package.bundled.end()) return places;
  for (const auto& [place, path] : bundle->second.places) places.push_back({place, path});
  return places;
}

}  // namespace catena::coordinator
