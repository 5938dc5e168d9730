internal import CLinux

/// Makes and checks request IDs. Belongs to one loop.
struct RequestIDs {
    /// 75 random bits in 15 characters: no repetition in a log, and a `String` of that length takes no memory of its own.
    private static let length = 15
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    // One system call for 17 IDs.
    private var pool = [UInt8](repeating: 0, count: 255)
    private var used = 255

    /// A new ID of letters and digits.
    mutating func make() -> String {
        if used + RequestIDs.length > pool.count { refill() }
        let first = used
        used += RequestIDs.length
        return String(unsafeUninitializedCapacity: RequestIDs.length) { buffer in
            for index in 0..<RequestIDs.length {
                buffer[index] = RequestIDs.alphabet[Int(pool[first + index] & 31)]
            }
            return RequestIDs.length
        }
    }

    private mutating func refill() {
        let outcome = pool.withUnsafeMutableBytes { clinux_random($0.baseAddress, UInt32($0.count)) }
        precondition(outcome == 0, "the system has no random bytes")
        used = 0
    }

    /// True for 1-128 of `[A-Za-z0-9._:-]`.
    static func isAcceptable(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...128).contains(bytes.count)
            && bytes.allSatisfy { byte in
                Octets.isLetter(byte) || Octets.isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
            }
    }
}
