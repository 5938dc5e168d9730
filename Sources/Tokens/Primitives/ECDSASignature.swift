/// An ECDSA signature on P-256 in its two forms: raw r and s, 32 bytes each, for JWS (RFC 7518 section 3.4), and the
/// DER of OpenSSL (RFC 3279 section 2.2.3).
struct ECDSASignature: Equatable {
    static let rawSize = 64
    private static let half = 32

    /// The order of P-256 (SEC 2 section 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    let raw: [UInt8]

    /// `nil` unless 64 bytes with r and s from 1 to the order less 1: an implementation without this check accepts r =
    /// s = 0 for every message (CVE-2022-21449).
    init?(raw: [UInt8]) {
        guard raw.count == Self.rawSize, Self.isInRange(raw[..<Self.half]), Self.isInRange(raw[Self.half...]) else {
            return nil
        }
        self.raw = raw
    }

    /// Reads OpenSSL's output: `SEQUENCE { INTEGER r, INTEGER s }`, all lengths in short form.
    init?(der: [UInt8]) {
        guard der.count >= 8, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = Self.takeInteger(from: &rest), let s = Self.takeInteger(from: &rest), rest.isEmpty else {
            return nil
        }
        self.init(raw: r + s)
    }

    var der: [UInt8] {
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(2 + 2 * (3 + Self.half))
        Self.append(raw[..<Self.half], to: &der)
        Self.append(raw[Self.half...], to: &der)
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// Whether 32 bytes are a number from 1 to the order less 1, most significant first. A private key must be such a
    /// number too.
    static func isInRange(_ number: ArraySlice<UInt8>) -> Bool {
        number.count == half && number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }

    /// Appends a positive integer: the shortest form, with a zero byte before a set top bit.
    private static func append(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
        let digits = number.drop { $0 == 0 }
        let needsSign = digits.first.map { $0 & 0x80 != 0 } ?? true
        der.append(0x02)
        der.append(UInt8(digits.count + (needsSign ? 1 : 0)))
        if needsSign { der.append(0) }
        der.append(contentsOf: digits)
    }

    /// The next integer as 32 bytes.
    private static func takeInteger(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= 3, rest.removeFirst() == 0x02 else { return nil }
        let length = Int(rest.removeFirst())
        guard length >= 1, length <= half + 1, length <= rest.count else { return nil }
        let digits = rest.prefix(length).drop { $0 == 0 }
        rest = rest.dropFirst(length)
        guard digits.count <= half else { return nil }
        return [UInt8](repeating: 0, count: half - digits.count) + digits
    }
}
