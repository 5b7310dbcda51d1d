#include "nn/page_table.h"

#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace steno::nn {

PagePool::PagePool(int num_pages, int page_tokens)
    : page_tokens_(page_tokens),
      references_(static_cast<std::size_t>(num_pages), 0),
      free_(static_cast<std::size_t>(num_pages)) {
  STENO_CHECK(num_pages >= 0 && page_tokens >= 1, "{} pages of {}", num_pages, page_tokens);
  std::iota(free_.rbegin(), free_.rend(), 0);  // taken from the back: page 0 first
}

std::int32_t PagePool::take() {
  if (free_.empty()) {
    throw Error(ErrorCode::kUnavailable, "the key-value cache is full ({} pages of {} tokens)",
                num_pages(), page_tokens_);
  }
  const std::int32_t page = free_.back();
  free_.pop_back();
  references_[static_cast<std::size_t>(page)] = 1;
  return page;
}

void PagePool::share(std::int32_t page) {
  STENO_CHECK(references(page) > 0, "page {} is free", page);
  ++references_[static_cast<std::size_t>(page)];
}

void PagePool::release(std::int32_t page) {
  STENO_CHECK(references(page) > 0, "page {} is free", page);
  if (--references_[static_cast<std::size_t>(page)] == 0) free_.push_back(page);
}

bool PagePool::is_consistent() const {
  std::vector<bool> is_free(references_.size(), false);
  for (const std::int32_t page : free_) {
    if (is_free[static_cast<std::size_t>(page)] || references(page) != 0) return false;
    is_free[static_cast<std::size_t>(page)] = true;
  }
  for (std::size_t page = 0; page < references_.size(); ++page) {
    if (is_free[page] != (references_[page] == 0)) return false;
  }
  return true;
}

PageList::~PageList() {
  release_all();
}

PageList::PageList(PageList&& other) noexcept
    : pool_(other.pool_),
      pages_(std::exchange(other.pages_, {})),
      num_tokens_(std::exchange(other.num_tokens_, 0)) {}

PageList& PageList::operator=(PageList&& other) noexcept {
  if (this != &other) {
    release_all();
    pool_ = other.pool_;
    pages_ = std::exchange(other.pages_, {});
    num_tokens_ = std::exchange(other.num_tokens_, 0);
  }
  return *this;
}

void PageList::release_all() {
  for (const std::int32_t page : pages_) pool_->release(page);
  pages_.clear();
}

PageList PageList::fork() const {
  PageList other(*pool_);
  other.pages_ = pages_;
  other.num_tokens_ = num_tokens_;
  for (const std::int32_t page : pages_) pool_->share(page);
  return other;
}

PageList::Appended PageList::append() {
  const int offset = num_tokens_ % pool_->page_tokens();
  Appended appended;
  if (offset == 0) {
    pages_.push_back(pool_->take());
  } else if (pool_->references(pages_.back()) > 1) {
    const std::int32_t fresh = pool_->take();
    appended.copy = Copy{pages_.back(), fresh};
    pool_->release(pages_.back());
    pages_.back() = fresh;
  }
  appended.slot = {pages_.back(), offset};
  ++num_tokens_;
  return appended;
}

void PageList::truncate(int num_tokens) {
  STENO_CHECK(num_tokens >= 0 && num_tokens <= num_tokens_, "{} of {} tokens", num_tokens,
              num_tokens_);
  const int page_tokens = pool_->page_tokens();
  const auto num_pages = static_cast<std::size_t>((num_tokens + page_tokens - 1) / page_tokens);
  for (; pages_.size() > num_pages; pages_.pop_back()) pool_->release(pages_.back());
  num_tokens_ = num_tokens;
}

}  // namespace steno::nn
