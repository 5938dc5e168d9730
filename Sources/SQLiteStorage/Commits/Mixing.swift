/// A checksum of 64 bits over words, against accidents and not against people: a change in any one word shows for certain.
struct Mixing {
    private(set) var value: UInt64

    init(_ start: UInt64 = 0x9E37_79B9_7F4A_7C15) { value = start }

    /// Each step can be undone when the word is known, and gives another value for each other word.
    mutating func add(_ word: UInt64) {
        value = (value << 23 | value >> 41) ^ word
        value &*= 0xD6E8_FEB8_6659_FD93
        value ^= value >> 32
    }
}
