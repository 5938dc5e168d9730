/// SHA-256 thumbprint of a public key (RFC 7638): 32 bytes. Identifies a session key (`jkt`) or a device key.
package struct Thumbprint: Sendable, Hashable {
    package let bytes: [UInt8]

    /// `nil` unless 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// A P-256 public key as its affine coordinates, 32 bytes each, checked to be on the curve.
package struct PublicKey: Sendable, Hashable {
    package let x: [UInt8]
    package let y: [UInt8]

    /// `nil` unless both are 32 bytes. For an external key the caller has checked the curve equation.
    package init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        self.x = x
        self.y = y
    }
}

/// The app platform a client declares at session start.
package enum Platform: String, Sendable, Hashable {
    case web, android, ios
}
