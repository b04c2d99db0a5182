// Words of texts: numbers of word forms in order, the gaps before them, and hashes of lines.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "encoded.hpp"
#include "kernels.hpp"

// A list that reports a failed allocation.
template <class T>
class Growing {
public:
    ~Growing() { std::free(data); }
    bool room(int64_t more) {
        if (size + more <= most_) return true;
        const int64_t most = 2 * (size + more) + 1024;
        T* wider = static_cast<T*>(std::realloc(data, size_t(most) * sizeof(T)));
        if (!wider) return false;
        data = wider;
        most_ = most;
        return true;
    }
    T* data = nullptr;
    int64_t size = 0;

private:
    int64_t most_ = 0;
};

// Classes of code points, and kinds of the gap before a word; as in text/tokens.py.
enum Class : uint8_t { SIGN, LETTER, MARK, DIGIT, SPACE, BREAK };
enum Gap : uint8_t { BLANK, APART, HYPHEN, APOSTROPHE, ADDRESS = 4 };

constexpr uint64_t hash_start = 0xcbf29ce484222325u, hash_factor = 0x100000001b3u;  // FNV-1a
constexpr int64_t shortest_line = 10;  // characters

struct Places {
    int32_t* words;
    uint8_t* gaps;
    int64_t* word_ends;
    int64_t* lines;
    int64_t* line_ends;
};

// The distinct word forms so far, by number.
class Words {
public:
    Growing<uint8_t> letters;  // of all forms, each followed by a line feed
    int64_t forms = 0;

    ~Words() { std::free(slots_); }

    // Split n texts, UTF-8, that end at `ends`; false without memory.
    bool add(const uint8_t* text, const int64_t* ends, int64_t n, const uint8_t* classes, bool numbers, Places out) {
        int64_t words = 0, lines = 0, start = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (!one(text + start, text + ends[i], classes, numbers, out, words, lines)) return false;
            start = ends[i];
            out.word_ends[i] = words;
            out.line_ends[i] = lines;
        }
        return true;
    }

private:
    struct Slot {
        uint64_t hash;
        int64_t start;
        int32_t length, number;  // a free slot has length 0
    };
    Slot* slots_ = nullptr;
    int64_t mask_ = -1;

    static uint32_t decode(const uint8_t*& at, const uint8_t* end) {
        const uint32_t first = *at++;
        if (first < 0x80) return first;
        const int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        uint32_t code = first & (0x3f >> more);
        for (int i = 0; i < more && at < end; ++i) code = code << 6 | (*at++ & 0x3f);
        return code;
    }

    bool one(const uint8_t* at, const uint8_t* end, const uint8_t* classes, bool numbers, Places out, int64_t& words,
             int64_t& lines) {
        uint8_t gap = APART;                   // before the next word
        int64_t between = 2, chunk = words;    // characters since the last word; the first word since white space
        bool address = false, inside = false;  // of the run of characters without white space; it has begun
        bool after_word = false, dot = false;  // the last character belongs to a name; or is a full stop after one
        int dots = 0;                          // full stops inside the current name
        uint64_t line = hash_start;
        int64_t length = 0;  // of the line
        bool space = false;  // white space precedes the next character of the line
        const uint8_t* first = at;  // of the line
        Encoded encoded(at, end);
        const uint8_t* data = encoded.first;  // the next
        while (at < end) {
            const uint8_t* begin = at;
            if (at == data) {
                line = (line ^ uint64_t(space)) * hash_factor;
                length += space + (encoded.last - at);
                for (; at < encoded.last; ++at) line = (line ^ *at) * hash_factor;
                encoded.next(at);
                data = encoded.first;
                between = 2;
                gap = APART;
                inside = true;
                space = after_word = dot = false;
                dots = 0;
                continue;
            }
            const uint32_t code = decode(at, end);
            const uint8_t kind = classes[code];
            if (kind == LETTER || (numbers && kind == DIGIT)) {
                length += space + 1;
                dots += dot;
                address |= dots > 1;
                const uint8_t* name = after_word ? nullptr : begin;  // as `\w+`: a mark or sign ends it
                after_word = true;
                for (; at < data; ++length) {
                    const uint8_t* next = at;
                    const uint8_t other = classes[decode(next, end)];
                    if (other != LETTER && other != MARK && !(numbers && other == DIGIT)) break;
                    at = next;
                    after_word = other != MARK;
                    if (!after_word) name = at, dots = 0;
                }
                address |= name && at < end && *at == '.' && at - name == 3 && (name[0] | 32) == 'w' &&
                           (name[1] | 32) == 'w' && (name[2] | 32) == 'w';
                uint64_t hash = 0;
                if (const int64_t more = signs(at, data, classes)) at += more, length += more, after_word = false, dots = 0;
                if (!intern(begin, at - begin, out.words[words], hash)) return false;
                out.gaps[words++] = between ? gap : APART;
                between = 0;
                gap = BLANK;
                inside = true;
                dot = false;
                line = (line ^ uint64_t(space)) * hash_factor ^ hash;
                space = false;
                continue;
            }
            if (kind == SPACE || kind == BREAK) {
                ++between;
                const bool fits = between == 1 ? code == ' ' || code == '\n' || code == '\t'
                                               : between == 2 && code == ' ' && at[-2] == ' ';
                gap = gap == BLANK && fits ? BLANK : APART;
                if (inside) end_chunk(out, chunk, words, address);
                inside = address = after_word = dot = false;
                dots = 0;
                chunk = words;
                space = length > 0;
                if (kind == BREAK) {
                    if (code == '\r' && at < end && *at == '\n') continue;  // its line feed ends the line
                    out.lines[lines++] = key(line, length);
                    line = hash_start;
                    length = 0;
                    space = false;
                    first = at;
                }
                continue;
            }
            gap = ++between > 1 ? APART : code == '-' ? HYPHEN : code == '\'' || code == 0x2019 ? APOSTROPHE : APART;
            const bool name = kind == DIGIT || code == '_';
            address |= (code == '@' && inside) || (code == ':' && end - at > 1 && at[0] == '/' && at[1] == '/');
            if (name) dots += dot;
            else if (!(code == '.' && after_word)) dots = 0;
            address |= dots > 1;
            dot = code == '.' && after_word;
            after_word = name;
            inside = true;
            line = (line ^ uint64_t(space)) * hash_factor ^ code;
            length += space + 1;
            space = false;
        }
        if (address) end_chunk(out, chunk, words, address);
        if (at > first) out.lines[lines++] = key(line, length);
        return true;
    }

    // The length of "++" or "#" after a word, as in C++ and C#; a letter must not follow.
    static int64_t signs(const uint8_t* at, const uint8_t* end, const uint8_t* classes) {
        const int64_t length = at < end && *at == '#' ? 1 : end - at > 1 && at[0] == '+' && at[1] == '+' ? 2 : 0;
        const uint8_t* next = at + length;
        return length && next < end && classes[decode(next, end)] == LETTER ? 0 : length;
    }

    // 0 for a blank line, 1 for a short one.
    static int64_t key(uint64_t line, int64_t length) {
        return length < shortest_line ? int64_t(length > 0) : int64_t(line | 2);
    }

    static void end_chunk(Places out, int64_t from, int64_t to, bool address) {
        for (; address && from < to; ++from) out.gaps[from] |= ADDRESS;
    }

    bool intern(const uint8_t* form, int64_t length, int32_t& number, uint64_t& hash) {
        hash = uint64_t(length) * hash_factor;
        int64_t i = 0;
        for (; i + 8 <= length; i += 8) {
            uint64_t eight;
            std::memcpy(&eight, form + i, 8);
            hash = mixed(hash ^ eight);
        }
        uint64_t rest = 0;
        std::memcpy(&rest, form + i, size_t(length - i));
        hash = mixed(hash ^ rest);
        if (2 * forms > mask_ && !widen()) return false;
        for (int64_t at = int64_t(hash) & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (!slot.length) {
                if (length > INT32_MAX || forms == INT32_MAX || !letters.room(length + 1)) return false;
                slot = {hash, letters.size, int32_t(length), int32_t(forms)};
                std::memcpy(letters.data + letters.size, form, size_t(length));
                letters.size += length + 1;
                letters.data[letters.size - 1] = '\n';
                number = int32_t(forms++);
                return true;
            }
            if (slot.hash == hash && slot.length == length &&
                !std::memcmp(letters.data + slot.start, form, size_t(length))) {
                number = slot.number;
                return true;
            }
        }
    }

    static uint64_t mixed(uint64_t value) {
        value *= 0x9e3779b97f4a7c15u;
        return value ^ (value >> 29);
    }

    bool widen() {
        const int64_t size = mask_ < 0 ? 1 << 12 : 2 * (mask_ + 1);
        auto* slots = static_cast<Slot*>(std::calloc(size_t(size), sizeof(Slot)));
        if (!slots) return false;
        for (int64_t i = 0; i <= mask_; ++i) {
            if (!slots_[i].length) continue;
            int64_t at = int64_t(slots_[i].hash) & (size - 1);
            while (slots[at].length) at = (at + 1) & (size - 1);
            slots[at] = slots_[i];
        }
        std::free(slots_);
        slots_ = slots;
        mask_ = size - 1;
        return true;
    }
};
