/// A 128-bit identifier in the vendor's form: a lower-case UUID. None is a credential by itself.
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

/// Names a session towards the app's backend; never sent to the client.
package struct CorrelationID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Names a session towards the client: the `sub` of its auth token.
package struct AuthID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Names a device key that is, or may become, bound to a number.
package struct DeviceID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Names one phone number of one tenant, for as long as the tenant keeps it.
package struct ProveID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

extension Identifier {
    package init(bits: UInt128) {
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// A new version 7 UUID: 48 bits of `now` in milliseconds, then 74 of the given random bits.
    package init(at now: Timestamp, random: UInt128) {
        let time = UInt128(UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF) << 80
        let randomA = (random >> 64 & 0xFFF) << 64
        let randomB = random & 0x3FFF_FFFF_FFFF_FFFF
        self.init(bits: time | 0x7 << 76 | randomA | 0b10 << 62 | randomB)
    }

    /// Reads the canonical form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, lower case only; anything else is `nil`.
    package init?(_ text: some StringProtocol) {
        var bits: UInt128 = 0
        var position = 0
        for byte in text.utf8 {
            switch (position, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                break
            case (8, _), (13, _), (18, _), (23, _), (36..., _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")): bits = bits << 4 | UInt128(byte - 48)
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")): bits = bits << 4 | UInt128(byte - 87)
            default: return nil
            }
            position += 1
        }
        guard position == 36 else { return nil }
        self.init(bits: bits)
    }

    /// The canonical lower-case form of 36 characters.
    package var text: String {
        let bits = bits
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var shift = 128
            for position in 0..<36 {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    buffer[position] = UInt8(ascii: "-")
                } else {
                    shift -= 4
                    let digit = UInt8(truncatingIfNeeded: bits >> UInt128(shift)) & 0xF
                    buffer[position] = digit < 10 ? 48 + digit : 87 + digit
                }
            }
            return 36
        }
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
