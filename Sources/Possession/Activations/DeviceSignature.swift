internal import Text

/// The factors with which a phone signed a call.
package enum SignatureFactors: String, Sendable, CaseIterable {
    case possession
    case knowledge
    case biometry
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
    case possessionKnowledgeBiometry = "possession_knowledge_biometry"

    /// Two or three factors.
    package static let severalFactors: Set<SignatureFactors> = [
        .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
    ]
    /// Possession, with or without other factors. Knowledge and biometry without possession would not prove that the
    /// phone signed.
    package static let withPossession = severalFactors.union([.possession])

    /// 1 to 3.
    package var count: Int {
        switch self {
        case .possession, .knowledge, .biometry: 1
        case .possessionKnowledge, .possessionBiometry: 2
        case .possessionKnowledgeBiometry: 3
        }
    }
}

/// A call that a phone signed.
package struct SignedCall: Sendable {
    /// The signed text without the application's secret: the method, Base64 of the resource, the nonce as text and
    /// Base64 of the body, separated by `&` (the vendor's normalized data).
    package let data: [UInt8]
    package let factors: SignatureFactors
    /// 16 bytes for each factor.
    package let signature: [UInt8]

    /// A call to the operator's own backend, as the backend describes it.
    package init(data: [UInt8], factors: SignatureFactors, signature: [UInt8]) {
        self.data = data
        self.factors = factors
        self.signature = signature
    }

    /// A call to this server.
    /// - Parameters:
    ///   - method: in capitals, such as `POST`.
    ///   - resource: identifies the call, such as `/pa/signature/validate`.
    ///   - nonce: as the caller wrote it: Base64 of 16 bytes.
    ///   - body: as received: encrypted, if the call is.
    package init(
        method: String, resource: String, nonce: String, body: [UInt8], factors: SignatureFactors, signature: [UInt8]
    ) {
        let parts = [method, Base64.encode(Array(resource.utf8)), nonce, Base64.encode(body)]
        self.init(data: Array(parts.joined(separator: "&").utf8), factors: factors, signature: signature)
    }
}

/// A signature that belongs to the activation.
package struct SignatureMatch: Sendable, Equatable {
    /// How many of the phone's signatures were skipped: 0 to 19.
    package let skipped: Int
    /// The sealed counter after this signature. It must be stored before the result is reported, or the signature would
    /// be valid twice.
    package let counter: [UInt8]

    package init(skipped: Int, counter: [UInt8]) {
        self.skipped = skipped
        self.counter = counter
    }
}

/// A call that a phone signed with a token's secret.
package struct TokenProof: Sendable {
    package let version: DeviceProtocolVersion
    /// 16 bytes.
    package let nonce: [UInt8]
    /// Milliseconds since 1970, by the phone's clock.
    package let timestamp: Int64
    /// 32 bytes.
    package let digest: [UInt8]

    package init(version: DeviceProtocolVersion, nonce: [UInt8], timestamp: Int64, digest: [UInt8]) {
        self.version = version
        self.nonce = nonce
        self.timestamp = timestamp
        self.digest = digest
    }
}
