/// Forms of the protocol. The caller's header says which one; nothing is negotiated.
package enum DeviceProtocolVersion: String, Sendable, CaseIterable {
    /// Encrypts for a key that lives as long as the application or the activation.
    case v32 = "3.2"
    /// Encrypts for a temporary key, which the app fetches first.
    case v33 = "3.3"
}

/// The use of an envelope. One that was made for another use does not open.
package enum EnvelopePurpose: Sendable, Equatable, CaseIterable {
    /// A call of an app. Made by the application's keys.
    case application
    /// The inner part of an order for an activation. Made by the application's keys.
    case activationOrder
    /// A call of an activation. Made by its keys.
    case activation
    /// An order for a token. Made by the keys of the activation.
    case token
    /// A call for the key of the phone's vault. Made by the keys of the activation.
    case vault

    /// Whether the keys of an activation make it.
    package var needsActivation: Bool {
        switch self {
        case .application, .activationOrder: false
        case .activation, .token, .vault: true
        }
    }
}

/// An encrypted request as it came, its members decoded.
package struct Envelope: Sendable, Equatable {
    package let version: DeviceProtocolVersion
    /// A point of P-256: 33 bytes compressed, or 65.
    package let ephemeralPublicKey: [UInt8]
    /// Whole blocks of 16 bytes, at least one.
    package let ciphertext: [UInt8]
    /// 32 bytes.
    package let mac: [UInt8]
    /// 16 bytes.
    package let nonce: [UInt8]
    /// Milliseconds since 1970, by the phone's clock.
    package let timestamp: Int64
    /// As the caller wrote it. In `v33` it must be there, in `v32` it must not.
    package let temporaryKeyID: String?

    package init(
        version: DeviceProtocolVersion, ephemeralPublicKey: [UInt8], ciphertext: [UInt8], mac: [UInt8], nonce: [UInt8],
        timestamp: Int64, temporaryKeyID: String?
    ) {
        self.version = version
        self.ephemeralPublicKey = ephemeralPublicKey
        self.ciphertext = ciphertext
        self.mac = mac
        self.nonce = nonce
        self.timestamp = timestamp
        self.temporaryKeyID = temporaryKeyID
    }
}

/// An encrypted reply, its members not yet encoded.
package struct EnvelopeReply: Sendable, Equatable {
    /// Whole blocks of 16 bytes.
    package let ciphertext: [UInt8]
    /// 32 bytes.
    package let mac: [UInt8]
    /// 16 bytes.
    package let nonce: [UInt8]
    /// Milliseconds since 1970.
    package let timestamp: Int64

    package init(ciphertext: [UInt8], mac: [UInt8], nonce: [UInt8], timestamp: Int64) {
        self.ciphertext = ciphertext
        self.mac = mac
        self.nonce = nonce
        self.timestamp = timestamp
    }
}

/// A request that was opened. It keeps the keys of its envelope, which seal the reply, for as long as it lives.
package struct OpenedEnvelope: Sendable {
    /// The content of the request.
    package let plain: [UInt8]
    private let sealing: @Sendable ([UInt8], Timestamp) throws(TokenFault) -> EnvelopeReply

    package init(
        plain: [UInt8], sealing: @escaping @Sendable ([UInt8], Timestamp) throws(TokenFault) -> EnvelopeReply
    ) {
        self.plain = plain
        self.sealing = sealing
    }

    /// Seals the reply with the keys of the request, and a nonce of its own.
    ///
    /// - Throws: `TokenFault` when the generator or OpenSSL refuses.
    package func reply(_ plain: [UInt8], at now: Timestamp) throws(TokenFault) -> EnvelopeReply {
        try sealing(plain, now)
    }
}
