/// A 64-bit checksum over words, against accidents, not against attackers: a change in any one word is always detected.
struct Mixing {
    private(set) var value: UInt64

    init(_ start: UInt64 = 0x9E37_79B9_7F4A_7C15) { value = start }

    /// Each step is reversible for a known word, and gives a different value for each word.
    mutating func add(_ word: UInt64) {
        value = (value << 23 | value >> 41) ^ word
        value &*= 0xD6E8_FEB8_6659_FD93
        value ^= value >> 32
    }
}
