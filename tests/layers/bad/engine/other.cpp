namespace engine {
namespace {
class Thing {};
int count_of(double from) { return 0; }
constexpr std::array<std::string_view, 2> kMost{};
}  // namespace
int Thing::count_of(long from) { return 1; }
}  // namespace engine
