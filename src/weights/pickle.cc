#include "weights/pickle.h"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "weights/quote.h"

namespace steno::weights {
namespace {

// The largest Whisper makes 40,000 values, some 100 bytes of memory each.
constexpr std::size_t kMaxValues = 500'000;
// What is taken apart again for each use. Without these limits a shared value of a megabyte, used a
// million times, would keep us busy for hours.
constexpr std::size_t kMaxArguments = 16;
constexpr std::size_t kMaxDims = 64;
constexpr std::size_t kMaxKeyBytes = 64;

struct StorageName {
  std::string_view name;
  DType dtype;
};
constexpr StorageName kStorages[] = {
    {"FloatStorage", DType::kF32}, {"HalfStorage", DType::kF16}, {"BFloat16Storage", DType::kBF16},
    {"CharStorage", DType::kI8},   {"ByteStorage", DType::kU8},  {"ShortStorage", DType::kI16},
    {"IntStorage", DType::kI32},   {"LongStorage", DType::kI64},
};
constexpr std::string_view kUnreadableStorages[] = {"DoubleStorage", "BoolStorage",
                                                    "ComplexFloatStorage", "ComplexDoubleStorage"};

// A machine with a stack, a memory ("memo") and marks on the stack, as the format defines it.
class Machine {
 public:
  Machine(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Pickle run() {
    while (true) {
      opcode_at_ = at_;
      const auto opcode = take<std::uint8_t>();
      if (opcode == '.') {
        pickle_.root = pop();
        return std::move(pickle_);
      }
      step(opcode);
    }
  }

 private:
  template <typename... Args>
  Error invalid(fmt::format_string<Args...> format, Args&&... args) const {
    return {ErrorCode::kInvalidModel, "{}: at byte {}: {}", where_, opcode_at_,
            fmt::format(format, std::forward<Args>(args)...)};
  }

  void step(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        return check_protocol(take<std::uint8_t>());
      case 0x95:  // FRAME: a hint for buffered reading
        take<std::uint64_t>();
        return;
      case 'N':
        return push(PickleNone{});
      case 0x88:
      case 0x89:
        return push(opcode == 0x88);
      case 'K':
        return push(std::int64_t{take<std::uint8_t>()});
      case 'M':
        return push(std::int64_t{take<std::uint16_t>()});
      case 'J':
        return push(std::int64_t{take<std::int32_t>()});
      case 0x8a:  // LONG1
        return push(take_long(take<std::uint8_t>()));
      case 'G':
        return push(take_double());
      case 'X':
        return push(std::string(take_bytes(take<std::uint32_t>())));
      case 0x8c:  // SHORT_BINUNICODE
        return push(std::string(take_bytes(take<std::uint8_t>())));
      case 0x8d:  // BINUNICODE8
        return push(std::string(take_bytes(take<std::uint64_t>())));
      case '(':
        return mark();
      case ')':
        return push(PickleTuple{});
      case 't':
        return push(PickleTuple{pop_to_mark()});
      case 0x85:
      case 0x86:
      case 0x87:
        return push(PickleTuple{pop_items(opcode - 0x84u)});
      case ']':
        return push(PickleList{});
      case 'a':
        return append({pop()});
      case 'e':
        return append(pop_to_mark());
      case '}':
        return push(PickleDict{});
      case 's':
        return set_items(pop_items(2));
      case 'u':
        return set_items(pop_to_mark());
      case 'q':
        return remember(take<std::uint8_t>());
      case 'r':
        return remember(take<std::uint32_t>());
      case 0x94:  // MEMOIZE
        return remember(static_cast<std::uint32_t>(memo_.size()));
      case 'h':
        return recall(take<std::uint8_t>());
      case 'j':
        return recall(take<std::uint32_t>());
      case 'c':
        return push_global_from_lines();
      case 0x93:  // STACK_GLOBAL
        return push_global_from_stack();
      case 'Q':
        return push_storage(pop());
      case 'R':
        return reduce();
      case 'b':
        return build();
      case '0':
        pop();
        return;
      default:
        throw invalid("the pickle opcode 0x{:02x} has no place in a model file", opcode);
    }
  }

  // ---- reading
  std::string_view take_bytes(std::uint64_t size) {
    if (size > text_.size() - at_) {
      throw invalid("the pickle ends in the middle of a value ({} more bytes wanted)", size);
    }
    const std::string_view bytes = text_.substr(at_, size);
    at_ += size;
    return bytes;
  }

  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }

  double take_double() {  // big-endian
    std::uint64_t bits = 0;
    for (const char byte : take_bytes(8)) bits = bits << 8 | static_cast<std::uint8_t>(byte);
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  // Two's complement of any length; ours end at 64 bits.
  std::int64_t take_long(std::size_t size) {
    const std::string_view bytes = take_bytes(size);
    if (size > 8) throw invalid("a number of {} bytes", size);
    std::uint64_t bits = size > 0 && bytes.back() < 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&bits, bytes.data(), size);
    return static_cast<std::int64_t>(bits);
  }

  std::string_view take_line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) throw invalid("the pickle ends in the middle of a name");
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  // ---- stack
  void push(PickleValue value) {
    if (pickle_.values.size() >= kMaxValues) {
      throw invalid("the pickle holds more than {} values, more than any model has", kMaxValues);
    }
    pickle_.values.push_back(std::move(value));
    push_index(static_cast<PickleIndex>(pickle_.values.size()) - 1);
  }

  void push_index(PickleIndex index) {
    if (stack_.size() >= kMaxValues) throw invalid("the pickle needs too deep a stack");
    stack_.push_back(index);
  }

  void mark() {
    if (marks_.size() >= kMaxValues) throw invalid("the pickle sets too many marks");
    marks_.push_back(stack_.size());
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::vector<PickleIndex> pop_items(std::size_t size) {
    if (stack_.size() - floor() < size) throw invalid("the pickle takes what it has not put there");
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(size);
    std::vector<PickleIndex> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return items;
  }

  PickleIndex pop() { return pop_items(1).front(); }

  std::vector<PickleIndex> pop_to_mark() {
    if (marks_.empty()) throw invalid("the pickle goes back to a mark that it has not set");
    std::vector<PickleIndex> items = pop_items(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  PickleIndex top() const {
    if (stack_.size() == floor()) throw invalid("the pickle uses what it has not put there");
    return stack_.back();
  }

  template <typename T>
  T& value_of(PickleIndex index, std::string_view expected) {
    T* value = std::get_if<T>(&pickle_.values[index]);
    if (value == nullptr) throw invalid("something else stands where {} is expected", expected);
    return *value;
  }

  template <typename T>
  T& top_as(std::string_view expected) {
    return value_of<T>(top(), expected);
  }

  // ---- containers
  void append(const std::vector<PickleIndex>& items) {
    auto& list = top_as<PickleList>("a list").items;
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const std::vector<PickleIndex>& items) {
    if (items.size() % 2 != 0) throw invalid("a dictionary's last key has no value");
    auto& dict = top_as<PickleDict>("a dictionary").items;
    for (std::size_t i = 0; i < items.size(); i += 2) dict.emplace_back(items[i], items[i + 1]);
  }

  // ---- memo
  void remember(std::uint32_t key) {
    if (memo_.size() >= kMaxValues) throw invalid("the pickle stores too many values");
    memo_[key] = top();
  }

  void recall(std::uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw invalid("the pickle recalls {}, which it never stored", key);
    push_index(found->second);
  }

  // ---- objects
  void check_protocol(std::uint8_t protocol) {
    if (protocol < 2 || protocol > 5) {
      throw invalid("pickle protocol {}; expected 2 to 5", protocol);
    }
  }

  void push_global_from_lines() {
    const std::string_view module = take_line();
    push_global(module, take_line());
  }

  void push_global_from_stack() {
    const std::vector<PickleIndex> names = pop_items(2);
    // Copies: pushing may move the values.
    const std::string module = value_of<std::string>(names[0], "a module's name");
    const std::string name = value_of<std::string>(names[1], "a name");
    push_global(module, name);
  }

  void push_global(std::string_view module, std::string_view name) {
    if (module == "collections" && name == "OrderedDict") {
      return push(PickleClass{.global = PickleGlobal::kOrderedDict});
    }
    if (module == "torch._utils" && name == "_rebuild_tensor_v2") {
      return push(PickleClass{.global = PickleGlobal::kRebuildTensor});
    }
    if (module == "torch._utils" && name == "_rebuild_parameter") {
      return push(PickleClass{.global = PickleGlobal::kRebuildParameter});
    }
    if (module == "torch" && name == "Size") {
      return push(PickleClass{.global = PickleGlobal::kSize});
    }
    if (module == "torch" && push_storage_type(name)) return;
    throw invalid(
        "the pickle asks for {} of the Python module {}, which a model's weights do not need: it "
        "is "
        "refused, for a pickle can run any code (was the whole model saved, not its state_dict?)",
        quote(name), quote(module));
  }

  bool push_storage_type(std::string_view name) {
    for (const StorageName& known : kStorages) {
      if (name != known.name) continue;
      push(PickleClass{.global = PickleGlobal::kStorageType, .dtype = known.dtype});
      return true;
    }
    for (const std::string_view known : kUnreadableStorages) {
      if (name != known) continue;
      push(PickleClass{.global = PickleGlobal::kStorageType, .unreadable = std::string(name)});
      return true;
    }
    return false;
  }

  std::uint64_t count_of(PickleIndex index, std::string_view what) {
    const auto value = value_of<std::int64_t>(index, what);
    if (value < 0) throw invalid("{} is {}", what, value);
    return static_cast<std::uint64_t>(value);
  }

  // A copy, since pushing a value may move the others.
  std::vector<PickleIndex> items_of(PickleIndex tuple, std::size_t max_items,
                                    std::string_view what) {
    const std::vector<PickleIndex>& items = value_of<PickleTuple>(tuple, what).items;
    if (items.size() > max_items) throw invalid("{} of {} parts", what, items.size());
    return items;
  }

  std::vector<std::uint64_t> counts_of(PickleIndex tuple, std::string_view what) {
    std::vector<std::uint64_t> counts;
    for (const PickleIndex item : items_of(tuple, kMaxDims, what)) {
      counts.push_back(count_of(item, what));
    }
    return counts;
  }

  // ("storage", type, key, device, number of elements)
  void push_storage(PickleIndex persistent_id) {
    const std::vector<PickleIndex> id = items_of(persistent_id, kMaxArguments, "a storage");
    if (id.size() != 5 || value_of<std::string>(id[0], "\"storage\"") != "storage") {
      throw invalid("a persistent id that is not a storage's");
    }
    const PickleClass& type = value_of<PickleClass>(id[1], "a storage type");
    if (type.global != PickleGlobal::kStorageType) {
      throw invalid("something else stands where a storage type is expected");
    }
    const std::string& key = value_of<std::string>(id[2], "a storage's key");
    if (key.size() > kMaxKeyBytes) throw invalid("a storage's key of {} bytes", key.size());
    push(PickleStorage{.dtype = type.dtype,
                       .unreadable = type.unreadable,
                       .key = key,
                       .num_elements = count_of(id[4], "a storage's size")});
  }

  void reduce() {
    const std::vector<PickleIndex> call = pop_items(2);
    const PickleGlobal callee = value_of<PickleClass>(call[0], "a function").global;
    const std::vector<PickleIndex> arguments = items_of(call[1], kMaxArguments, "arguments");
    switch (callee) {
      case PickleGlobal::kOrderedDict:
        if (!arguments.empty()) throw invalid("OrderedDict with arguments");
        return push(PickleDict{});
      case PickleGlobal::kRebuildTensor:
        return push_tensor(arguments);
      case PickleGlobal::kRebuildParameter:
        if (arguments.empty()) throw invalid("_rebuild_parameter without a tensor");
        value_of<PickleTensor>(arguments[0], "a tensor");
        return push_index(arguments[0]);
      case PickleGlobal::kSize:
        if (arguments.size() != 1) throw invalid("torch.Size with {} arguments", arguments.size());
        value_of<PickleTuple>(arguments[0], "a tuple");
        return push_index(arguments[0]);
      case PickleGlobal::kStorageType:
        throw invalid("the pickle calls a storage type");
    }
  }

  // (storage, offset, shape, strides, requires_grad, hooks[, metadata])
  void push_tensor(const std::vector<PickleIndex>& arguments) {
    if (arguments.size() < 6) {
      throw invalid("_rebuild_tensor_v2 with {} arguments; expected 6", arguments.size());
    }
    value_of<PickleStorage>(arguments[0], "a storage");
    PickleTensor tensor{.storage = arguments[0],
                        .offset = count_of(arguments[1], "a tensor's offset"),
                        .shape = counts_of(arguments[2], "a tensor's shape"),
                        .strides = counts_of(arguments[3], "a tensor's strides")};
    if (tensor.shape.size() != tensor.strides.size()) {
      throw invalid("a tensor of {} dimensions with {} strides", tensor.shape.size(),
                    tensor.strides.size());
    }
    push(std::move(tensor));
  }

  // Attributes of an OrderedDict (a state_dict's _metadata): not needed.
  void build() {
    const PickleIndex state = pop();
    value_of<PickleDict>(state, "attributes");
    top_as<PickleDict>("an object with attributes");
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
  Pickle pickle_;
  std::vector<PickleIndex> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleIndex> memo_;
};

}  // namespace

Pickle parse_pickle(std::string_view text, std::string_view where) {
  return Machine(text, where).run();
}

}  // namespace steno::weights
