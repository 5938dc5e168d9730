package import Engine
package import Possession
internal import Text

extension PowerAuthProtocol {
    package func open(
        _ envelope: Envelope, for purpose: EnvelopePurpose, from caller: DeviceCaller, at now: Timestamp
    ) async throws(DeviceProtocolError) -> OpenedEnvelope {
        if let id = envelope.temporaryKeyID.flatMap({ TemporaryKeyID($0) }) {
            do throws(StorageFault) { try await temporaryKeys.learnSecret(of: id, at: now) } catch {
                throw .fault(EngineFault(error))
            }
        }
        let opened = try openAlone(envelope, for: purpose, from: caller, at: now)
        try await noteUse(of: envelope, from: caller, at: now)
        return opened
    }

    /// Notes the use of an envelope that this server has opened, so that no other one opens it.
    private func noteUse(
        of envelope: Envelope, from caller: DeviceCaller, at now: Timestamp
    ) async throws(DeviceProtocolError) {
        let (identity, application) = (envelope.identity(of: caller), Self.name(of: caller.application))
        let issuedAt = Timestamp(milliseconds: envelope.timestamp)
        // Twice the window: the clocks of servers may differ.
        let name = UsedName(
            .envelope, identity, of: application, issuedAt: issuedAt, until: issuedAt.adding(ReplayGuard.window * 2),
            digest: SHA256.digest)
        let isFirst: Bool
        do throws(StorageFault) { isFirst = try await usedNames.isFirstUse(of: name, at: now) } catch {
            replayGuard.forget(identity, timestamp: envelope.timestamp, of: application)
            throw .fault(EngineFault(error))
        }
        guard isFirst else { throw .refused }
    }

    private static func name(of application: ApplicationKeys) -> [UInt8] { Array(application.applicationKey.utf8) }

    /// The same, once at this server: another server may open the envelope, too.
    func openAlone(
        _ envelope: Envelope, for purpose: EnvelopePurpose, from caller: DeviceCaller, at now: Timestamp
    ) throws(DeviceProtocolError) -> OpenedEnvelope {
        guard envelope.isWellFormed, purpose.needsActivation == (caller.activation != nil),
            replayGuard.isFresh(envelope.timestamp, at: now)
        else { throw .refused }
        let keys = try withFault { () throws(TokenFault) in try callerKeys(caller) }
        let recipient = try recipient(of: envelope, caller, keys, at: now)
        guard let point = try? CurvePoint(encoded: envelope.ephemeralPublicKey) else { throw .refused }

        let context = EnvelopeContext(
            envelope, SharedInfo1(purpose), applicationKey: caller.application.applicationKey,
            activationID: caller.activation?.sentID, secretText: keys.application.secretText,
            transportKey: keys.transport)
        let envelopeKeys = try withFault { () throws(TokenFault) in
            try EnvelopeKeys(
                recipient: recipient, point: point, ephemeralPublicKey: envelope.ephemeralPublicKey, context)
        }
        guard envelopeKeys.authenticates(envelope, context),
            replayGuard.admit(
                envelope.identity(of: caller), timestamp: envelope.timestamp, of: Self.name(of: caller.application),
                at: now),
            let plain = try withFault({ () throws(TokenFault) in try envelopeKeys.decrypt(envelope) })
        else { throw .refused }

        return OpenedEnvelope(plain: plain) { (plain, now) throws(TokenFault) in
            try envelopeKeys.reply(plain, nonce: try random(16), timestamp: now.milliseconds, context)
        }
    }

    /// The opened keys of a caller.
    private struct CallerKeys {
        let application: ApplicationSecrets
        let activation: ActivationKeys?
        let transport: BriefSecret?

        /// The caller's permanent private key: the activation's, or the application's master key.
        var scalar: BriefSecret { activation?.serverScalar ?? application.masterScalar }
    }

    private func callerKeys(_ caller: DeviceCaller) throws(TokenFault) -> CallerKeys {
        let application = try secrets(of: caller.application)
        guard let activation = caller.activation else {
            return CallerKeys(application: application, activation: nil, transport: nil)
        }
        let keys = try self.keys(of: activation.id, activation.secrets)
        return CallerKeys(application: application, activation: keys, transport: try keys.transportKey())
    }

    /// The key for which the phone encrypted.
    private func recipient(
        of envelope: Envelope, _ caller: DeviceCaller, _ keys: CallerKeys, at now: Timestamp
    ) throws(DeviceProtocolError) -> KeyHandle {
        let key = try withFault { () throws(TokenFault) -> KeyHandle? in
            guard let text = envelope.temporaryKeyID else { return try KeyHandle(scalar: keys.scalar.bytes) }
            guard let id = TemporaryKeyID(text) else { return nil }
            return try temporaryKeys.key(id, of: owner(caller), at: now)
        }
        guard let key else { throw .unknownTemporaryKey }
        return key
    }

    private func owner(_ caller: DeviceCaller) -> TemporaryKeys.Owner {
        TemporaryKeys.Owner(applicationKey: caller.application.applicationKey, activation: caller.activation?.id)
    }

    // MARK: Temporary keys

    package func claimedCaller(of request: String) -> TemporaryKeyClaims? { TemporaryKeyRequest(request)?.claims }

    package func temporaryKey(
        for request: String, from caller: DeviceCaller, at now: Timestamp
    ) async throws(DeviceProtocolError) -> String {
        let order = try temporaryKeyOrder(request, from: caller)
        do throws(EngineFault) { try await temporaryKeys.makeReady(at: now) } catch { throw .fault(error) }
        return try issue(order, to: caller, at: now)
    }

    /// A request for a temporary key, signed by its caller.
    struct TemporaryKeyOrder: Sendable {
        fileprivate let request: TemporaryKeyRequest
        /// Signs the answer.
        fileprivate let scalar: BriefSecret
    }

    func temporaryKeyOrder(
        _ text: String, from caller: DeviceCaller
    ) throws(DeviceProtocolError) -> TemporaryKeyOrder {
        guard let request = TemporaryKeyRequest(text), request.isOf(caller) else { throw .refused }
        let keys = try withFault { () throws(TokenFault) in try callerKeys(caller) }
        let secret = keys.application.secret
        let key = keys.transport.map { KeyDerivation.key(from: $0, index: secret.bytes) } ?? secret
        guard request.isSigned(by: key) else { throw .refused }
        return TemporaryKeyOrder(request: request, scalar: keys.scalar)
    }

    /// Makes the key, after the secret that it is derived from exists.
    func issue(
        _ order: TemporaryKeyOrder, to caller: DeviceCaller, at now: Timestamp
    ) throws(DeviceProtocolError) -> String {
        try withFault { () throws(TokenFault) in
            try order.request.answer(
                try temporaryKeys.issue(to: owner(caller), at: now), at: now,
                key: try SigningKey(scalar: order.scalar.bytes))
        }
    }

    /// Loads the temporary keys that an earlier process has issued. Call before the first call is served.
    package func loadTemporaryKeys(at now: Timestamp) async throws(StorageFault) {
        try await temporaryKeys.load(at: now)
    }

    /// Erases the secrets of temporary keys that have ended. Cheap if there is nothing to erase.
    package func forgetEndedTemporaryKeys(at now: Timestamp) async throws(StorageFault) {
        try await temporaryKeys.forgetEnded(at: now)
    }
}

extension Envelope {
    /// 2^53: the largest range of integers that every JSON reader keeps.
    private static let latestTimestamp: Int64 = 1 << 53

    /// Whether every member has its length and belongs to the version. Checked before any computation on the curve.
    fileprivate var isWellFormed: Bool {
        (ephemeralPublicKey.count == 33 || ephemeralPublicKey.count == 65) && mac.count == 32 && nonce.count == 16
            && !ciphertext.isEmpty && ciphertext.count % AES128.blockSize == 0
            && (0..<Self.latestTimestamp).contains(timestamp) && (version == .v33) == (temporaryKeyID != nil)
    }

    /// The bytes that identify an envelope of the application.
    fileprivate func identity(of caller: DeviceCaller) -> [UInt8] {
        KeyDerivation.joined([
            ephemeralPublicKey, nonce, temporaryKeyID.flatMap { TemporaryKeyID($0)?.bytes } ?? [],
            caller.activation?.id.bytes ?? [],
        ])
    }
}
