package import Possession

/// The use of an envelope. An envelope for another use cannot be opened.
package enum EnvelopePurpose: Sendable, Equatable, CaseIterable {
    /// A call of an app, encrypted with the application's keys.
    case application
    /// The inner part of a request for an activation, encrypted with the application's keys.
    case activationOrder
    /// A call of an activation, encrypted with its keys.
    case activation
    /// A request for a token, encrypted with the activation's keys.
    case token
    /// A request for the key of the phone's vault, encrypted with the activation's keys.
    case vault

    /// Whether the activation's keys encrypt it.
    package var needsActivation: Bool {
        switch self {
        case .application, .activationOrder: false
        case .activation, .token, .vault: true
        }
    }
}

/// An encrypted request with decoded members.
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
    /// As the caller wrote it. Required in `v33`, forbidden in `v32`.
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

/// An encrypted reply, before its members are encoded.
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

/// An opened request. It holds the keys of its envelope, which also encrypt the reply.
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

    /// Encrypts the reply with the keys of the request and a new nonce.
    ///
    /// - Throws: `TokenFault` if the generator or OpenSSL fails.
    package func reply(_ plain: [UInt8], at now: Timestamp) throws(TokenFault) -> EnvelopeReply {
        try sealing(plain, now)
    }
}
