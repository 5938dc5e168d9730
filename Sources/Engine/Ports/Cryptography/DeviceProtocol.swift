package import Possession

/// The cryptography between a phone's app and this server: envelopes, temporary keys, activations, signatures. Its keys
/// stay behind this port: the engine and the surfaces see only sealed bytes.
///
///     let opened = try await crypto.open(envelope, for: .application, from: DeviceCaller(keys), at: systemNow)
///     let reply = try opened.reply(answer(to: opened.plain), at: systemNow)
///
/// Times are those of the machine's clock, because phones set their clocks by it (contract section 10).
package protocol DeviceProtocol: Sendable {
    // MARK: Applications

    /// New keys from the random generator.
    func makeApplicationKeys() throws(TokenFault) -> ApplicationKeys
    /// - Throws: `TokenFault` unless the key and the secret have 16 bytes and the private key is a P-256 key.
    func applicationKeys(_ given: GivenApplicationKeys) throws(TokenFault) -> ApplicationKeys
    /// The texts that apps are built with.
    /// - Throws: `TokenFault` if the keys cannot be decrypted.
    func credentials(of keys: ApplicationKeys) throws(TokenFault) -> ApplicationCredentials

    // MARK: Envelopes

    /// Opens an encrypted request. The same request can be opened only once, by one of all servers.
    ///
    /// - Throws: `.refused`, `.unknownTemporaryKey`, `.fault`. After `.fault` the request may be sent again.
    func open(
        _ envelope: Envelope, for purpose: EnvelopePurpose, from caller: DeviceCaller, at now: Timestamp
    ) async throws(DeviceProtocolError) -> OpenedEnvelope

    /// The caller that requests a temporary key, unchecked. It decides whose keys check the request.
    func claimedCaller(of request: String) -> TemporaryKeyClaims?
    /// Checks a request for a temporary key, which is a JWT, and makes the key. It lives 300 s, even across a restart,
    /// and at all servers: the data to open calls with it is durable when this returns.
    ///
    /// - Returns: a JWT, signed by the master key, or by the server's key of the activation.
    /// - Throws: `.refused`, `.fault`.
    func temporaryKey(
        for request: String, from caller: DeviceCaller, at now: Timestamp
    ) async throws(DeviceProtocolError) -> String

    // MARK: Activations

    /// Agrees on keys with a phone.
    /// - Parameter devicePublicKey: a point of P-256: 33 bytes compressed, or 65.
    /// - Throws: `.refused` for any other point, `.fault`.
    func activate(_ id: ActivationID, devicePublicKey: [UInt8]) throws(DeviceProtocolError) -> NewActivation
    /// The standing of an activation for the phone that sent a challenge of 16 bytes.
    ///
    /// - Throws: `.refused` for a challenge of another length, `.fault`.
    func statusBlob(
        of id: ActivationID, _ secrets: ActivationSecrets, _ status: ActivationStatus, challenge: [UInt8]
    ) throws(DeviceProtocolError) -> StatusBlob
    /// Status bytes for an unknown id: random bytes that look like another phone's.
    func statusBlobOfNobody() throws(TokenFault) -> StatusBlob
    /// The key of the vault in which a phone keeps its private key, encrypted for that phone. It never changes.
    ///
    /// - Returns: 32 bytes.
    func vaultKey(of id: ActivationID, _ secrets: ActivationSecrets) throws(TokenFault) -> [UInt8]

    // MARK: Signatures

    /// Checks a signature against the current counter and the next 19.
    ///
    /// - Returns: `nil`: the signature does not belong to the activation.
    /// - Throws: `.refused` for a caller without an activation or a signature of another length, `.fault`.
    func verify(_ call: SignedCall, from caller: DeviceCaller) throws(DeviceProtocolError) -> SignatureMatch?
    /// Makes a token of an activation.
    func makeToken(of id: ActivationID) throws(TokenFault) -> NewDeviceToken
    /// Whether a call was signed with the token: its digest is right, and its time is at most two hours old or 30 minutes
    /// ahead.
    func isProof(
        _ proof: TokenProof, by sealedToken: [UInt8], of id: ActivationID, at now: Timestamp
    ) throws(TokenFault) -> Bool
}

/// The claims of a request for a temporary key, unchecked.
package struct TemporaryKeyClaims: Sendable, Equatable {
    package let applicationKey: String
    /// As the caller wrote it; `nil`: the key is for calls of the application.
    package let activationID: String?

    package init(applicationKey: String, activationID: String?) {
        self.applicationKey = applicationKey
        self.activationID = activationID
    }
}
