internal import CLinux

/// Makes and checks request IDs. Belongs to one loop.
struct RequestIDs {
    /// 75 random bits in 15 characters: no two IDs in a log are the same, and a `String` of that length needs no heap
    /// memory.
    private static let length = 15
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Characters drawn in advance: one system call for 17 IDs.
    private var pool: [UInt8] = []
    private var used = 0
    private static let idsAPool = 17

    mutating func make() -> String {
        if used == pool.count { refill() }
        let first = used
        used += RequestIDs.length
        return String(decoding: pool[first..<used], as: UTF8.self)
    }

    private mutating func refill() {
        pool = [UInt8](repeating: 0, count: RequestIDs.idsAPool * RequestIDs.length)
        let outcome = pool.withUnsafeMutableBytes { clinux_random($0.baseAddress, UInt32($0.count)) }
        precondition(outcome == 0, "the system has no random bytes")
        for index in pool.indices { pool[index] = RequestIDs.alphabet[Int(pool[index] & 31)] }
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
