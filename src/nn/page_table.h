// Who holds which page of a key-value cache: allocation, sharing between beams, and growth token by
// token. Pure bookkeeping; the numbers themselves are in ops::KvPages.
//
// A PagePool counts the references to each page. A PageList is one sequence's view: its pages in
// order and how many tokens are in them. Beams that continue the same hypothesis share its full
// pages; only a partly filled last page is copied, by the caller, as append() tells.
// Source: PagedAttention (Kwon et al., 2023), copy on write.   Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/ops.h"

namespace steno::nn {

class PagePool {
 public:
  PagePool(int num_pages, int page_tokens);

  int page_tokens() const { return page_tokens_; }
  int num_pages() const { return static_cast<int>(references_.size()); }
  int num_free() const { return static_cast<int>(free_.size()); }

  // Throws Error(kUnavailable) when no page is free.
  std::int32_t take();
  void share(std::int32_t page);
  void release(std::int32_t page);
  int references(std::int32_t page) const { return references_[static_cast<std::size_t>(page)]; }

  // free + used = total, and the free list holds each page once. For tests, after every step.
  bool is_consistent() const;

 private:
  int page_tokens_;
  std::vector<int> references_;
  std::vector<std::int32_t> free_;
};

class PageList {
 public:
  explicit PageList(PagePool& pool) : pool_(&pool) {}
  ~PageList();
  PageList(PageList&& other) noexcept;
  PageList& operator=(PageList&& other) noexcept;
  PageList(const PageList&) = delete;
  PageList& operator=(const PageList&) = delete;

  // A second view of the same tokens, sharing all pages.
  PageList fork() const;

  struct Copy {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  struct Appended {
    ops::KvSlot slot;          // where the new token goes
    std::optional<Copy> copy;  // first copy this page: it was shared
  };
  Appended append();

  // Forgets the tokens from the num_tokens-th on.
  void truncate(int num_tokens);

  int num_tokens() const { return num_tokens_; }
  std::span<const std::int32_t> pages() const { return pages_; }

 private:
  void release_all();

  PagePool* pool_;
  std::vector<std::int32_t> pages_;
  int num_tokens_ = 0;
};

}  // namespace steno::nn
