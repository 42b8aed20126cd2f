#pragma once
// The place of a worker on its machine: a file that one process at a time can hold under one name. Who holds it knows that whoever held it
// before has ended, and can prove that to a coordinator, which then need not wait for that one's lease.
#include <optional>
#include <string>

#include "base/fd.hpp"

namespace catena::worker {

class HomeLock {
 public:
  /// Takes the place of that name in the directory, which is made. None where another process has it, or where it cannot be had: nothing
  /// depends on it but time.
  [[nodiscard]] static std::optional<HomeLock> take(const std::string& directory, const std::string& name);

  /// The same for all that ever held this place since the machine was started, and for nobody else.
  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  HomeLock(Fd file, std::string id) : file_{std::move(file)}, id_{std::move(id)} {}

  Fd file_;
  std::string id_;
};

}  // namespace catena::worker
