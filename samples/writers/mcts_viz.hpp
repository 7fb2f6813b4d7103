/* Tells mcts_viz what a search in C++ does. One header, C++17, no dependency. Copy it into your project.

     mcts_viz::Writer trace("run.ndjson", R"({"game": "tic_tac_toe", "policies": {"selection": {"name": "ucb1", "c": 1.4}}})");
     int child = trace.node(parent, action);          // a node that the search has made; the root is 0 and there already
     trace.update(node, value);                        // what backpropagation added to it; root first
     trace.iteration(leaf, outcome);                   // the iteration is over

   then `mcts-viz import run.ndjson -o run.mcts`, or write to "-" and pipe it. The first argument's document is the trace's
   metadata (docs/trace-format.md); values are in the view of the player who moved into the node, outcomes in that of
   player 0. A search that the disk cannot keep up with, or a full disk, does not fail: `good()` says whether all of it was
   written. Not for several threads at once: a writer each, or a lock of yours. */
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace mcts_viz {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/* What may be known of a new node; what is not set is not written. */
struct Node {
  int to_move = unknown;        // player to move at it: 0 or 1, -2 for chance
  double prior = none;
  double outcome = none;        // where the game is over at it, view of player 0
  std::string_view label = {};  // readable name of the move into it
  std::string_view state = {};  // the position, as text

  static constexpr int unknown = -1;
};

class Writer {
 public:
  /* path: the file, or "-" for standard output. metadata: a JSON object. */
  explicit Writer(const std::string& path, std::string_view metadata = "{}")
      : file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")), began_(Clock::now()) {
    const auto first = metadata.find('{');
    const auto rest = first == std::string_view::npos ? std::string_view("}") : metadata.substr(first + 1);
    const auto begins = rest.find_first_not_of(" \t\r\n");
    lines_.add("{\"format_version\": 2");
    if (begins != std::string_view::npos && rest[begins] != '}') lines_.add(", ");
    for (char c : rest) lines_.add(c == '\n' || c == '\r' ? ' ' : c);
    lines_.add('\n');
    write();
  }
  ~Writer() { close(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /* A node that the search has made below another one; its number. Action: the move's number or its name. */
  int node(int parent, std::int64_t action, const Node& known = {}) {
    begin_node(parent);
    nodes_.whole(action);
    return end_node(known);
  }
  int node(int parent, std::string_view action, const Node& known = {}) {
    begin_node(parent);
    nodes_.text(action);
    return end_node(known);
  }

  /* What backpropagation added to a node: call it for each node of the path, the root first. */
  void update(int node, double value, std::int64_t visits = 1) {
    updates_.add(updates_.size ? ",{\"node\":" : "{\"node\":");
    updates_.whole(node);
    if (visits != 1) {
      updates_.add(",\"visits\":");
      updates_.whole(visits);
    }
    updates_.add(",\"value\":");
    updates_.number(value);
    updates_.add('}');
  }

  /* A move of the simulation; -1 stands between two simulations of a leaf. */
  void rollout(std::int64_t move) {
    if (rollout_.size) rollout_.add(',');
    rollout_.whole(move);
    has_rollout_ = true;
  }

  /* The iteration is over. leaf: the node that was evaluated; outcome: of it, view of player 0. */
  void iteration(int leaf, double outcome = none) {
    lines_.add("{\"leaf\":");
    lines_.whole(leaf);
    list(",\"new_nodes\":[", nodes_);
    list(",\"updates\":[", updates_);
    if (!std::isnan(outcome)) {
      lines_.add(",\"outcome\":");
      lines_.number(outcome);
    }
    if (has_rollout_) list(",\"rollout\":[", rollout_, true);
    lines_.add(",\"elapsed\":");
    lines_.whole(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began_).count());
    lines_.add("}\n");
    // who follows the file sees an iteration after a quarter of a second
    if (lines_.size >= 1 << 16 || Clock::now() - written_ > std::chrono::milliseconds(250)) write();
  }

  /* Whether everything so far could be written. */
  bool good() const { return good_; }

  void close() {
    if (file_ == nullptr) return;
    write();
    if (file_ != stdout) good_ = std::fclose(file_) == 0 && good_;
    file_ = nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /* Text that grows; std::string looks at its capacity more often than a search can afford. */
  struct Buffer {
    std::string data = std::string(256, ' ');
    std::size_t size = 0;

    char* room(std::size_t n) {
      if (size + n > data.size()) data.resize(2 * (size + n));
      return data.data() + size;
    }
    void add(std::string_view words) {
      std::memcpy(room(words.size()), words.data(), words.size());
      size += words.size();
    }
    void add(char c) {
      *room(1) = c;
      ++size;
    }
    void whole(std::int64_t n) {
      char* digits = room(24);
      size += static_cast<std::size_t>(std::to_chars(digits, digits + 24, n).ptr - digits);
    }
    void number(double x) {
      const auto n = static_cast<std::int64_t>(std::abs(x) < 1e15 ? x : 0);
      if (static_cast<double>(n) == x) return whole(n);
      if (!std::isfinite(x)) return add("null");  // JSON has no other; the import names the line
      size += static_cast<std::size_t>(std::snprintf(room(40), 40, "%.17g", x));
    }
    void text(std::string_view words) {
      add('"');
      for (char c : words) {
        if (c == '"' || c == '\\') add('\\');
        if (static_cast<unsigned char>(c) >= 0x20) {
          add(c);
        } else {
          size += static_cast<std::size_t>(std::snprintf(room(8), 8, "\\u%04x", static_cast<unsigned>(c)));
        }
      }
      add('"');
    }
  };

  void begin_node(int parent) {
    nodes_.add(nodes_.size ? ",{\"parent\":" : "{\"parent\":");
    nodes_.whole(parent);
    nodes_.add(",\"action\":");
  }

  int end_node(const Node& known) {
    if (known.to_move != Node::unknown) {
      nodes_.add(",\"to_move\":");
      nodes_.whole(known.to_move);
    }
    if (!std::isnan(known.prior)) {
      nodes_.add(",\"prior\":");
      nodes_.number(known.prior);
    }
    if (!std::isnan(known.outcome)) {
      nodes_.add(",\"outcome\":");
      nodes_.number(known.outcome);
    }
    if (!known.label.empty()) {
      nodes_.add(",\"label\":");
      nodes_.text(known.label);
    }
    if (!known.state.empty()) {
      nodes_.add(",\"state\":");
      nodes_.text(known.state);
    }
    nodes_.add('}');
    return n_nodes_++;
  }

  void list(std::string_view key, Buffer& items, bool always = false) {
    if (!items.size && !always) return;
    lines_.add(key);
    lines_.add(std::string_view(items.data.data(), items.size));
    lines_.add(']');
    items.size = 0;
  }

  void write() {
    if (file_ == nullptr || std::fwrite(lines_.data.data(), 1, lines_.size, file_) != lines_.size ||
        std::fflush(file_) != 0)
      good_ = false;
    lines_.size = 0;
    written_ = Clock::now();
  }

  std::FILE* file_;
  Clock::time_point began_, written_;
  Buffer lines_, nodes_, updates_, rollout_;
  bool has_rollout_ = false, good_ = true;
  int n_nodes_ = 1;
};

}  // namespace mcts_viz
