/// A 128-bit identifier: a UUID, written in lower case. No identifier is a credential by itself.
///
/// New ones are UUID version 7 (RFC 9562 section 5.7): the time comes first, so that keys grow in order and an
/// insert touches the last page of an index.
///
/// Kept as two halves: a `UInt128` among the parameters of an `async` function is passed on the stack, and Swift
/// 6.3.1 then resumes the caller at a wrong address (x86-64, any optimisation level).
package protocol Identifier: Sendable, Hashable, Comparable {
    var high: UInt64 { get }
    var low: UInt64 { get }
    init(high: UInt64, low: UInt64)
}

/// Identifies a session for the app's backend; never sent to the client.
package struct CorrelationID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies a session for the client: the `sub` of its auth token.
package struct AuthID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies a device key that is, or may become, bound to a number.
package struct DeviceID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies an activation: an app on a phone with its own keys, which it agreed on with this server.
package struct ActivationID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies a token of an activation. It is random and does not contain a time.
package struct DeviceTokenID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// A new version 4 UUID (RFC 9562 section 5.4) of 16 random bytes.
    package init(random: some Collection<UInt8>) {
        let bits = DeviceTokenID(bytes: random)
        high = bits.high & ~0xF000 | 0x4000
        low = bits.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }
}

/// Identifies a phone number of one tenant, as long as the tenant keeps it.
package struct HolderID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies a message to a phone, and is its idempotency key: a carrier that gets it twice delivers it once.
package struct MessageID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

extension Identifier {
    package init(bits: UInt128) {
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// - Precondition: `bytes` are 16.
    package init(bytes: some Collection<UInt8>) {
        let halves = halvesOfIdentifier(Array(bytes))
        self.init(high: halves.high, low: halves.low)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for half in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
        return bytes
    }

    /// A new version 7 UUID: 48 bits of `now` in milliseconds, then 74 of the given random bits.
    package init(at now: Timestamp, random: UInt128) {
        let time = UInt128(UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF) << 80
        let randomA = (random >> 64 & 0xFFF) << 64
        let randomB = random & 0x3FFF_FFFF_FFFF_FFFF
        self.init(bits: time | 0x7 << 76 | randomA | 0b10 << 62 | randomB)
    }

    /// When the identifier was made, to the millisecond.
    package var createdAt: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }

    /// A new version 7 UUID from 16 random bytes.
    package init(at now: Timestamp, random: some Collection<UInt8>) {
        self.init(at: now, random: Self(bytes: random).bits)
    }

    /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in any case (RFC 9562 section 4); any other text is `nil`. It is
    /// always written in lower case.
    package init?(_ text: String) {
        guard let bits = CanonicalUUID.bits(of: text) else { return nil }
        self.init(high: bits.high, low: bits.low)
    }

    /// The canonical lower-case form of 36 characters.
    package var text: String { CanonicalUUID.text(high, low) }

    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The text of a UUID. Not generic, so that one compiled form serves every identifier type in every module.
private enum CanonicalUUID {
    static let count = 36

    static func bits(of text: String) -> (high: UInt64, low: UInt64)? {
        guard text.utf8.count == count else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (position, byte) in text.utf8.enumerated() {
            if isHyphen(position) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = digit(byte) else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | digit
        }
        return (high, low)
    }

    static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            var (high, low) = (high, low)
            for position in 0..<count {
                if isHyphen(position) {
                    buffer[position] = UInt8(ascii: "-")
                } else {
                    let digit = UInt8(truncatingIfNeeded: high >> 60)
                    buffer[position] = digit < 10 ? 48 + digit : 87 + digit
                    high = high << 4 | low >> 60
                    low <<= 4
                }
            }
            return count
        }
    }

    private static func isHyphen(_ position: Int) -> Bool {
        position == 8 || position == 13 || position == 18 || position == 23
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - 48)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - 87)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - 55)
        default: nil
        }
    }
}

/// Reads both halves in network byte order. It is not generic: the engine calls it for each new identifier, and a generic
/// function of another target runs without specialization.
private func halvesOfIdentifier(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
    precondition(bytes.count == 16, "an identifier has 16 bytes")
    var (high, low): (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
        high = high << 8 | UInt64(bytes[index])
        low = low << 8 | UInt64(bytes[index + 8])
    }
    return (high, low)
}
