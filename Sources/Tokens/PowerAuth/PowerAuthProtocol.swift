package import Engine
package import Possession
internal import Secrets
internal import Text

/// The cryptography of PowerAuth 3.2 and 3.3, compatible with the vendor's SDKs.
package struct PowerAuthProtocol: DeviceProtocol {
    let sealer: Sealer
    let randomBytes: RandomBytes
    let replayGuard: ReplayGuard
    let usedNames: any UsedNameStore
    let temporaryKeys: TemporaryKeys

    /// - Parameters:
    ///   - startedAt: when the process began, by the machine's clock. Earlier envelopes do not open.
    ///   - temporarySecrets: stores the secrets that temporary keys are derived from.
    ///   - usedNames: remembers opened envelopes for all servers.
    package init(
        sealer: Sealer, randomBytes: @escaping RandomBytes, startedAt: Timestamp,
        temporarySecrets: any TemporarySecretStore, usedNames: any UsedNameStore
    ) {
        self.sealer = sealer
        self.randomBytes = randomBytes
        replayGuard = ReplayGuard(startedAt: startedAt)
        self.usedNames = usedNames
        temporaryKeys = TemporaryKeys(temporarySecrets, sealer, randomBytes: randomBytes)
    }

    // MARK: Sealed values

    func seal(_ plain: consuming [UInt8], _ kind: SealedKeys, of id: [UInt8]) throws(TokenFault) -> [UInt8] {
        var plain = plain
        defer { plain.wipe() }
        return try sealer.seal(plain, context: kind.context(of: id))
    }

    /// The caller wipes secret bytes.
    func open(_ sealed: [UInt8], _ kind: SealedKeys, of id: [UInt8]) throws(TokenFault) -> [UInt8] {
        try sealer.open(sealed, context: kind.context(of: id))
    }

    func secrets(of keys: ApplicationKeys) throws(TokenFault) -> ApplicationSecrets {
        var bytes = try open(keys.sealed, .application, of: try Self.bytes(of: keys))
        defer { bytes.wipe() }
        return try ApplicationSecrets(bytes)
    }

    func keys(of id: ActivationID, _ secrets: ActivationSecrets) throws(TokenFault) -> ActivationKeys {
        var bytes = try open(secrets.keys, .activation, of: id.bytes)
        defer { bytes.wipe() }
        return try ActivationKeys(bytes)
    }

    func counter(of id: ActivationID, _ secrets: ActivationSecrets) throws(TokenFault) -> SignatureCounter {
        try SignatureCounter(bytes: try open(secrets.counter, .counter, of: id.bytes))
    }

    func random(_ count: Int) throws(TokenFault) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try randomBytes(count) } catch { throw TokenFault("no random bytes") }
        guard bytes.count == count else { throw TokenFault("the generator gave another count") }
        return bytes
    }

    /// The 16 bytes of the application key.
    private static func bytes(of keys: ApplicationKeys) throws(TokenFault) -> [UInt8] {
        guard let bytes = Base64.decode(keys.applicationKey.utf8), bytes.count == KeyDerivation.keySize else {
            throw TokenFault("an application key has 16 bytes")
        }
        return bytes
    }

    // MARK: Applications

    package func makeApplicationKeys() throws(TokenFault) -> ApplicationKeys {
        try applicationKeys(
            key: try random(KeyDerivation.keySize), secret: try random(KeyDerivation.keySize),
            masterKey: try SigningKey.generate())
    }

    package func applicationKeys(_ given: GivenApplicationKeys) throws(TokenFault) -> ApplicationKeys {
        guard given.applicationKey.count == KeyDerivation.keySize else {
            throw TokenFault("an application key has 16 bytes")
        }
        return try applicationKeys(
            key: given.applicationKey, secret: given.applicationSecret,
            masterKey: try SigningKey(scalar: given.masterPrivateKey))
    }

    private func applicationKeys(
        key: [UInt8], secret: [UInt8], masterKey: SigningKey
    ) throws(TokenFault) -> ApplicationKeys {
        let secrets = try ApplicationSecrets(secret: secret, masterScalar: try masterKey.handle.scalar())
        return ApplicationKeys(
            applicationKey: Base64.encode(key), sealed: try seal(secrets.bytes, .application, of: key),
            masterPublicKey: masterKey.publicKey)
    }

    package func credentials(of keys: ApplicationKeys) throws(TokenFault) -> ApplicationCredentials {
        let secret = try secrets(of: keys).secret
        let configuration = SDKConfiguration.text(
            applicationKey: try Self.bytes(of: keys), secret: secret, masterPublicKey: keys.masterPublicKey)
        return ApplicationCredentials(
            applicationKey: keys.applicationKey, applicationSecret: Secret(Base64.encode(secret.bytes)),
            masterPublicKey: Base64.encode(keys.masterPublicKey.uncompressed), configuration: Secret(configuration))
    }
}

/// Throws a `TokenFault` as `.fault`, in functions that can also fail because of the caller.
func withFault<Result>(
    _ body: () throws(TokenFault) -> Result
) throws(DeviceProtocolError) -> Result {
    do { return try body() } catch { throw .fault(EngineFault(error)) }
}
