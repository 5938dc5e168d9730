internal import HTTPServer
internal import Possession
internal import Text

/// Names the keys that encrypt a call.
///
///     X-PowerAuth-Encryption: PowerAuth version="3.2", application_key="..."
struct EncryptionHeader: Sendable {
    static let name = "x-powerauth-encryption"

    let version: DeviceProtocolVersion
    let applicationKey: String

    /// The header of an encrypted call; `nil`: the call is plain.
    /// - Throws: `.encryption`: also if the header names an activation; `.unservedVersion`.
    init?(_ request: Request) throws(OnboardingError) {
        guard let header = try request.powerAuth(Self.name, orElse: .encryption) else { return nil }
        version = try DeviceProtocolVersion(
            header["version"], orElse: .encryption, unserved: .unservedVersion(isSigned: false))
        guard let key = header["application_key"], header["activation_id"] == nil else { throw .encryption }
        applicationKey = key
    }
}

/// Names the activation that signed a call, and how it signed.
///
///     X-PowerAuth-Authorization: PowerAuth pa_version="3.3", pa_activation_id="...", pa_application_key="...",
///         pa_nonce="...", pa_signature_type="possession_knowledge", pa_signature="..."
struct SignatureHeader: Sendable {
    static let name = "x-powerauth-authorization"

    let version: DeviceProtocolVersion
    let applicationKey: String
    /// As the caller wrote it.
    let activationID: String
    let factors: SignatureFactors
    private let nonce: String
    private let signature: [UInt8]

    /// - Throws: `.signature`: the header is missing, or a part of it is malformed; `.unservedVersion`.
    init(_ request: Request) throws(OnboardingError) {
        guard let header = try request.powerAuth(Self.name, orElse: .signature) else { throw .signature }
        version = try DeviceProtocolVersion(
            header["pa_version"], orElse: .signature, unserved: .unservedVersion(isSigned: true))
        guard let applicationKey = header["pa_application_key"], let activationID = header["pa_activation_id"],
            let nonce = header["pa_nonce"], Base64.decode(nonce.utf8)?.count == 16,
            let type = header["pa_signature_type"],
            let factors = SignatureFactors.allCases.first(where: { $0.rawValue.isSame(as: type) }),
            let signature = header["pa_signature"].flatMap({ Base64.decode($0.utf8) }),
            signature.count == 16 * factors.count
        else { throw .signature }
        self.applicationKey = applicationKey
        self.activationID = activationID
        self.nonce = nonce
        self.factors = factors
        self.signature = signature
    }

    /// - Parameter resource: the name of the call: its path without the version.
    func call(_ request: Request, resource: String) -> SignedCall {
        SignedCall(
            method: request.method.text, resource: resource, nonce: nonce, body: request.body, factors: factors,
            signature: signature)
    }
}

extension DeviceProtocolVersion {
    fileprivate init(
        _ text: String?, orElse error: OnboardingError, unserved: OnboardingError
    ) throws(OnboardingError) {
        guard let text else { throw error }
        guard let version = Self.allCases.first(where: { $0.rawValue.isSame(as: text) }) else { throw unserved }
        self = version
    }
}

extension Request {
    /// - Throws: the header is repeated, or is not a header of PowerAuth.
    fileprivate func powerAuth(
        _ name: String, orElse error: OnboardingError
    ) throws(OnboardingError) -> PowerAuthHeader? {
        guard let value = headers.bytes(name) else { return nil }
        guard headers.count(name) == 1, let header = try? PowerAuthHeader(value) else { throw error }
        return header
    }
}
