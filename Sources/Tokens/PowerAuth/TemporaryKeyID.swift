import Possession

/// The name of a temporary key: a UUID of version 8 (RFC 9562 section 5.8).
///
///     second at which the key ends (32 bits), random (28 bits beside the version), MAC (62 bits beside the variant)
struct TemporaryKeyID: Identifier {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// - Parameter random: 4 bytes, of which 28 bits are used.
    /// - Returns: `nil`: the second is past the year 2106.
    init?(endingAt second: Int64, random: [UInt8]) {
        guard let second = UInt32(exactly: second), random.count == 4 else { return nil }
        let bits = random.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(high: UInt64(second) << 32 | bits & 0xFFFF_0FFF | 0x8000, low: 0)
    }

    var endSecond: Int64 { Int64(high >> 32) }

    /// The bytes that the MAC covers.
    var unauthenticated: [UInt8] { high.bigEndianBytes }

    /// The same id with its MAC.
    /// - Parameter mac: at least 8 bytes.
    func authenticated(by mac: [UInt8]) -> TemporaryKeyID {
        let bits = mac.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return TemporaryKeyID(high: high, low: bits & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}
