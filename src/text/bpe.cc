#include "text/bpe.h"

#include <functional>
#include <queue>

#include "base/check.h"

namespace steno::text {
namespace {

// The parts a piece is cut into, named by their first byte; each ends where the next one begins.
class Parts {
 public:
  explicit Parts(std::size_t size) : end_(size), previous_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      end_[i] = i + 1;
      previous_[i] = i == 0 ? 0 : i - 1;
    }
  }

  std::size_t end(std::size_t part) const { return end_[part]; }
  std::size_t previous(std::size_t part) const { return previous_[part]; }
  bool is_last(std::size_t part) const { return end_[part] == end_.size(); }

  // Joins `part` and the one after it, whose name is then free: its end is 0.
  void join(std::size_t part) {
    const std::size_t absorbed = end_[part];
    end_[part] = end_[absorbed];
    end_[absorbed] = 0;
    if (!is_last(part)) previous_[end_[part]] = part;
  }

 private:
  std::vector<std::size_t> end_;
  std::vector<std::size_t> previous_;
};

// Two neighbours whose union is a token. The lowest id merges first, the leftmost of equals.
struct Merge {
  int id;
  std::size_t left;
  std::size_t right;
  std::size_t end;

  bool operator>(const Merge& other) const {
    return id != other.id ? id > other.id : left > other.left;
  }
  bool is_current(const Parts& parts) const {
    return parts.end(left) == right && parts.end(right) == end;
  }
};

using MergeQueue = std::priority_queue<Merge, std::vector<Merge>, std::greater<>>;

// Puts the merge of `left` with its right neighbour into the queue, if that makes a token.
void push_merge(std::string_view piece, std::size_t left, const Parts& parts,
                const TokenIds& token_ids, MergeQueue& queue) {
  if (parts.is_last(left)) return;
  const std::size_t right = parts.end(left);
  const std::size_t end = parts.end(right);
  if (const auto id = token_ids.find(piece.substr(left, end - left))) {
    queue.push({*id, left, right, end});
  }
}

Parts merge_all(std::string_view piece, const TokenIds& token_ids) {
  Parts parts(piece.size());
  MergeQueue queue;
  for (std::size_t i = 0; i < piece.size(); ++i) push_merge(piece, i, parts, token_ids, queue);
  while (!queue.empty()) {
    const Merge merge = queue.top();
    queue.pop();
    if (!merge.is_current(parts)) continue;  // a better merge took one of its parts
    parts.join(merge.left);
    push_merge(piece, merge.left, parts, token_ids, queue);
    if (merge.left > 0) push_merge(piece, parts.previous(merge.left), parts, token_ids, queue);
  }
  return parts;
}

}  // namespace

void append_bpe(std::string_view piece, const TokenIds& token_ids, std::vector<int>& ids) {
  if (piece.empty()) return;
  if (const auto whole = token_ids.find(piece)) {
    ids.push_back(*whole);
    return;
  }
  const Parts parts = merge_all(piece, token_ids);
  for (std::size_t begin = 0; begin < piece.size(); begin = parts.end(begin)) {
    const auto id = token_ids.find(piece.substr(begin, parts.end(begin) - begin));
    STENO_CHECK(id, "no token for a merged part");
    ids.push_back(*id);
  }
}

}  // namespace steno::text
