#pragma once
// What most chains never have, and many chains are in memory.
#include <memory>

namespace catena::engine {

/// A value that takes a pointer while it is what it is by default.
template <class T>
class Seldom {
 public:
  Seldom() = default;
  explicit Seldom(const T& value) : value_{value == T{} ? nullptr : std::make_unique<T>(value)} {}
  Seldom(const Seldom& other) : Seldom{other.get()} {}
  Seldom(Seldom&& other) noexcept = default;
  Seldom& operator=(const Seldom& other) { return *this = Seldom{other}; }
  Seldom& operator=(Seldom&& other) noexcept = default;
  ~Seldom() = default;

  [[nodiscard]] const T& get() const {
    static const T kNone{};
    return value_ ? *value_ : kNone;
  }
  [[nodiscard]] T& change() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  friend bool operator==(const Seldom& a, const Seldom& b) { return a.get() == b.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace catena::engine
