// Encoded data in texts, which has no words: data URIs, hex digests, base64; as in text/tokens.py.
#pragma once
#include <cstdint>
#include <cstring>

// Finds data from the start of a text on.
class Encoded {
public:
    const uint8_t *first, *last;  // the next data; both at the end of the text if there is none

    Encoded(const uint8_t* text, const uint8_t* end) : text_(text), end_(end), run_(text), stop_(text) {
        find_uri(text);
        next(text);
    }

    void next(const uint8_t* at) {
        if (const uint8_t* line = wrapped_) {
            wrapped_ = nullptr;
            if (mixed(line, run_end(line), true)) return;
        }
        for (;;) {
            const uint8_t* run = long_run(at);
            if (uri_ < at) find_uri(at);
            if (uri_ < run) {
                first = last = uri_;
                while (is_plain(last)) ++last;
                return wrap(last);
            }
            if (run == end_) break;
            at = run_end(run);
            if (hex(run, at) || mixed(run, at, false)) return;
        }
        first = last = end_;
    }

private:
    enum Kind : uint8_t { OTHER, JOINER, DIGIT = 2, SMALL = 4, CAPITAL = 8, ALL = 14 };
    static constexpr int64_t shortest = 16, longest_type = 60;

    const uint8_t *text_, *end_, *uri_;
    const uint8_t *run_, *stop_;  // the last run, which data may leave in pieces: its end is sought once
    const uint8_t* wrapped_ = nullptr;  // the start of the line after data

    struct Kinds {
        uint8_t of[256] = {};
        constexpr Kinds() {
            for (int i = 0; i < 26; ++i) of['a' + i] = SMALL, of['A' + i] = CAPITAL;
            for (int i = 0; i < 10; ++i) of['0' + i] = DIGIT;
            of['+'] = of['/'] = of['_'] = of['-'] = JOINER;
        }
    };

    static uint8_t kind(uint8_t sign) {
        static constexpr Kinds kinds;
        return kinds.of[sign];
    }

    static bool is_hex(uint8_t sign) { return kind(sign) == DIGIT || ((sign | 32) >= 'a' && (sign | 32) <= 'f'); }

    // The first run of 16 signs; it holds a block of eight, and a sign below "+" rules most blocks out.
    const uint8_t* long_run(const uint8_t* at) {
        for (const uint8_t* block = at; end_ - block >= 8; block += 8) {
            uint64_t eight;
            std::memcpy(&eight, block, 8);
            if ((eight - 0x2b2b2b2b2b2b2b2bu) & ~eight & 0x8080808080808080u) continue;
            const uint8_t *start = block, *stop = run_end(block);
            if (stop - block < 8) continue;
            while (start > at && kind(start[-1])) --start;
            if (stop - start >= shortest) return start;
        }
        return end_;
    }

    const uint8_t* run_end(const uint8_t* at) {
        if (at < run_ || at >= stop_)
            for (run_ = stop_ = at; stop_ < end_ && kind(*stop_);) ++stop_;
        return stop_;
    }

    // 16 hex digits, with a letter and a digit; with single hyphens, as in a UUID.
    bool hex(const uint8_t* at, const uint8_t* stop) {
        for (; at < stop; ++at) {
            if (kind(*at) == JOINER) continue;
            const uint8_t* end = at;  // of whole parts
            for (const uint8_t* c = at;; ++c) {
                while (c < stop && is_hex(*c)) ++c;
                if (c < stop && kind(*c) != JOINER) break;
                end = c;
                if (c + 1 >= stop || *c != '-' || !is_hex(c[1])) break;
            }
            int64_t digits = 0, letters = 0;
            for (const uint8_t* c = at; c < end; ++c) digits += kind(*c) == DIGIT, letters += kind(*c) > DIGIT;
            if (digits && letters && digits + letters >= shortest) {
                first = at;
                last = end;
                return true;
            }
            for (at = end; at < stop && kind(*at) != JOINER;) ++at;
        }
        return false;
    }

    // Base64: small letters, capitals and digits in turn; or a line that follows such data.
    bool mixed(const uint8_t* at, const uint8_t* stop, bool follows) {
        int64_t count = 0, changes = 0, part = 0, longest = 0;
        uint8_t kinds = 0, before = JOINER;
        for (const uint8_t* c = at; c < stop; ++c) {
            const uint8_t here = kind(*c);
            if (here == JOINER) {
                part = 0;
            } else {
                longest = ++part > longest ? part : longest;
                changes += before != JOINER && before != here && !(before == CAPITAL && here == SMALL);
                kinds |= here;
                ++count;
            }
            before = here;
        }
        const bool is_mixed = 4 * changes > count;
        if (follows ? !count || !ends_line(stop) || !(is_mixed || stop - at >= shortest || is_padded(stop))
                    : !is_mixed || kinds != ALL || longest < shortest)
            return false;
        for (first = at; kind(*first) == JOINER;) ++first;
        for (last = stop; kind(last[-1]) == JOINER;) --last;
        wrap(stop);
        return true;
    }

    // "data:", a type and a comma; up to a space, a quote, or a tag.
    void find_uri(const uint8_t* at) {
        for (const uint8_t* c = at; c < end_; ++c) {
            c = static_cast<const uint8_t*>(std::memchr(c, ':', size_t(end_ - c)));
            if (!c) break;
            const uint8_t* start = c - 4;
            if (c - at < 4 || std::memcmp(start, "data", 4)) continue;
            if (start > text_ && (kind(start[-1]) > JOINER || start[-1] == '_')) continue;
            const uint8_t* type = c + 1;
            while (type < end_ && kind(*type) == SMALL) ++type;
            if (type == c + 1 || type == end_ || *type != '/') continue;
            const uint8_t* comma = ++type;
            while (is_plain(comma) && *comma != ',' && comma - type <= longest_type) ++comma;
            if (comma == type || comma - type > longest_type || !is_plain(comma) || !is_plain(comma + 1)) continue;
            uri_ = start;
            return;
        }
        uri_ = end_;
    }

    bool is_plain(const uint8_t* c) const {
        return c < end_ && *c > ' ' && *c < 0x7f && *c != '"' && *c != '<' && *c != '>';
    }
    bool is_padded(const uint8_t* c) const { return c < end_ && *c == '='; }
    bool ends_line(const uint8_t* c) const {
        while (is_padded(c)) ++c;
        return c == end_ || *c == '\n' || *c == '\r';
    }

    void wrap(const uint8_t* c) {
        while (is_padded(c)) ++c;
        while (c < end_ && (*c == ' ' || *c == '\t')) ++c;
        if (c < end_ && *c == '\r') ++c;
        if (c == end_ || *c++ != '\n') return;
        while (c < end_ && (*c == ' ' || *c == '\t')) ++c;
        wrapped_ = c;
    }
};
