namespace engine {
namespace {
struct Thing {};
[[nodiscard]] int count_of(int from);
constexpr int kMost = 3;
}  // namespace
void begin() { int kMost = 4; }
}  // namespace engine
