/// HMAC-SHA-256 of a one-time code with its session and number, under a key outside the database (OTP-08).
package struct OTPDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Matches no digest, not even itself.
    static let ofNone = OTPDigest([])

    /// Compares in constant time: the work does not depend on where the two differ (OTP-09).
    package func matches(_ other: OTPDigest) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// HMAC-SHA-256 of a client secret, under a key outside the database (TOK-12).
package struct SecretDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Compares in constant time.
    package func matches(_ other: SecretDigest) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// HMAC-SHA-256 of a request body, to tell a retry from another request under the same retry key.
package struct BodyDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// HMAC-SHA-256 of the payment of a session's codes: nothing else of it is stored.
package struct PaymentDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Compares in constant time.
    package func matches(_ other: PaymentDigest) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// SHA-256 of an instant link's token: nothing else of it is stored (OTP-15).
package struct LinkDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// SHA-256 of the code that a link gave to a browser: nothing else of it is stored.
package struct ExchangeDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Compares in constant time.
    package func matches(_ other: ExchangeDigest) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// SHA-256 of a verifier that a backend keeps secret until it redeems a code (RFC 7636 section 4.2, `S256`).
package struct CodeChallenge: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Compares in constant time.
    package func matches(_ other: CodeChallenge) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// SHA-256 of the token that a browser or phone has for its prefill session: nothing else of it is stored.
package struct FlowDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// SHA-256 of the one-use ticket that opens a Mobile Auth attempt.
package struct TicketDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Compares in constant time.
    package func matches(_ other: TicketDigest) -> Bool { constantTimeEqual(bytes, other.bytes) }
}

/// HMAC-SHA-256 of a client address, under a key outside the database. It shows only whether two hops came from the
/// same address.
package struct AddressDigest: Sendable, Hashable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Whether two byte strings are equal. Always compares every byte.
///
/// Digests have a fixed length. Strings of different lengths are unequal, and so are two empty ones.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count, !left.isEmpty else { return false }
    var difference: UInt8 = 0
    for index in left.indices {
        difference |= left[index] ^ right[index]
    }
    return difference == 0
}
