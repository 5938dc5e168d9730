package import Possession
package import Text

/// Activates devices that submit the code of a session, reports the standing of activations to phones, checks what
/// phones sign, and checks for backends what their apps have signed.
///
///     let activated = try await activations.activate(phone, code: code, from: address, of: process, in: product, for: tenant.id)
///     let signer = try await activations.take(call, from: caller, of: tenant.id) { $0.remove(for: .phone, at: $1) }
package struct DeviceActivations: Sendable {
    private let engine: Engine
    private let store: any ActivationStore
    private let tokens: any DeviceTokenStore
    private let devices: any DeviceProtocol
    private let commands: SessionCommands

    package init(_ engine: Engine, _ devices: any DeviceProtocol) {
        self.engine = engine
        store = engine.stores.activations
        tokens = engine.stores.deviceTokens
        self.devices = devices
        commands = SessionCommands(engine)
    }

    // MARK: Activating

    /// A phone that requests an activation, as its app describes it.
    package struct Phone: Sendable {
        /// A point of P-256: 33 bytes compressed, or 65.
        package let publicKey: [UInt8]
        package let details: DeviceActivation.Details
        /// Identifies the keys that the app was built with; `nil`: the call is not encrypted.
        package let applicationKey: String?

        package init(publicKey: [UInt8], details: DeviceActivation.Details, applicationKey: String?) {
            self.publicKey = publicKey
            self.details = details
            self.applicationKey = applicationKey
        }
    }

    package enum Activated: Sendable {
        /// The session has succeeded, and the phone has its keys.
        case made(ActivationID, NewActivation)
        /// The code is wrong, expired, or not awaited. If no try is left, the session is over.
        case refused(triesLeft: Int)
        /// The code was not compared, because the phone's order cannot be read or its key is invalid. It counts as a
        /// wrong code, so that codes cannot be tried without cost.
        case brokenOrder(triesLeft: Int)
    }

    /// Checks one code of a session. The right code activates the phone in the same change.
    /// - Parameters:
    ///   - phone: `nil`: its order could not be decrypted.
    ///   - address: the phone's address, under which a wrong code counts; `nil`: unknown.
    package func activate(
        _ phone: Phone?, code: OTP, from address: IPAddress?, of session: CorrelationID, in product: ProductName,
        for tenant: ClientID
    ) async throws(EngineFault) -> Activated {
        let id: ActivationID
        do { id = try engine.crypto.fresh(ActivationID.self, at: engine.now()) } catch { throw EngineFault(error) }
        guard let phone, let made = try agreement(id, with: phone) else {
            let reply = try await check(commands.checkCode(nil, from: address), session, product, tenant)
            return .brokenOrder(triesLeft: reply?.session.triesLeft ?? 0)
        }
        var command = commands.checkCode(code, from: address)
        command.device = .init(
            id: id, applicationKey: phone.applicationKey, details: phone.details, secrets: made.secrets)
        guard let reply = try await check(command, session, product, tenant) else { return .refused(triesLeft: 0) }
        if reply.refusal == nil, case .succeeded = reply.session.outcome { return .made(id, made) }
        return .refused(triesLeft: reply.session.triesLeft)
    }

    private func check(
        _ command: SessionCommand, _ session: CorrelationID, _ product: ProductName, _ tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        let admission = Admission(engine, in: SessionFence(tenant, product))
        return switch try await admission.perform(command, on: .correlation(session), by: .backend, nil) {
        case .reply(let reply): reply
        case .refused, .unknown: nil
        }
    }

    /// The keys of a new activation; `nil`: the phone's key is invalid.
    private func agreement(_ id: ActivationID, with phone: Phone) throws(EngineFault) -> NewActivation? {
        do throws(DeviceProtocolError) { return try devices.activate(id, devicePublicKey: phone.publicKey) } catch {
            switch error {
            case .refused, .unknownTemporaryKey: return nil
            case .fault(let fault): throw fault
            }
        }
    }

    // MARK: Reading

    /// The activation that a caller names, with the data to check the caller's cryptography; `nil`: the tenant has no
    /// such activation.
    /// - Parameter sentID: as the caller wrote it.
    package func caller(
        _ sentID: String, with keys: ApplicationKeys, of tenant: ClientID
    ) async throws(EngineFault) -> (caller: DeviceCaller, activation: DeviceActivation)? {
        guard let activation = try await activation(sentID), activation.clientID == tenant,
            let named = CallingActivation(sentID: sentID, secrets: activation.secrets)
        else { return nil }
        return (DeviceCaller(keys, activation: named), activation)
    }

    /// The standing of an activation, readable only by its phone. For an unknown id it returns bytes that look the
    /// same.
    /// - Parameter challenge: 16 bytes.
    /// - Throws: also for a challenge of another length.
    package func status(
        of sentID: String, challenge: [UInt8]
    ) async throws(EngineFault) -> (blob: StatusBlob, flags: [String]) {
        let found = try await activation(sentID)
        do {
            guard let found else { return (try devices.statusBlobOfNobody(), []) }
            let blob = try devices.statusBlob(of: found.id, found.secrets, found.status, challenge: challenge)
            return (blob, found.details.flags)
        } catch DeviceProtocolError.fault(let fault) { throw fault } catch { throw EngineFault(error) }
    }

    /// The vault key of an activation that has signed a call, encrypted for its phone: 32 bytes.
    package func vaultKey(of activation: DeviceActivation) throws(EngineFault) -> [UInt8] {
        do { return try devices.vaultKey(of: activation.id, activation.secrets) } catch { throw EngineFault(error) }
    }

    private func activation(_ sentID: String) async throws(EngineFault) -> DeviceActivation? {
        guard let id = ActivationID(sentID) else { return nil }
        do { return try await store.activation(id) } catch { throw EngineFault(error) }
    }

    // MARK: Signing

    /// Maximum reads of the counter. Another read is needed if another call has changed the counter meanwhile, which
    /// only the phone itself can do.
    private static let mostLooks = 20

    /// Result of a signature, or of a call that a token signed.
    package struct Judged: Sendable {
        /// The signature belongs to the activation, and the activation is active.
        package let isGood: Bool
        /// The activation after the call.
        package let activation: DeviceActivation
        package let factors: SignatureFactors
    }

    /// Checks a signature. The new counter, or the failure, is durable when this returns.
    ///
    /// - Parameters:
    ///   - signer: the result of `caller`.
    ///   - act: applied to the activation in the same change, if the signature is right.
    /// - Returns: the activation after it; `nil`: the signature is wrong, or the activation is not active.
    package func take(
        _ call: SignedCall, from signer: DeviceCaller, of tenant: ClientID,
        _ act: @escaping @Sendable (inout DeviceActivation, Timestamp) -> Void = { _, _ in }
    ) async throws(EngineFault) -> DeviceActivation? {
        guard let judged = try await judge(call, from: signer, of: tenant, act), judged.isGood else { return nil }
        return judged.activation
    }

    /// Checks a call that an app has signed and sent to the operator's own backend, by the same rules as a call to this
    /// server.
    ///
    /// - Parameters:
    ///   - sentID: the activation, as the app wrote it.
    ///   - applicationKey: as the app wrote it. If it is not a key of the tenant, no signature is right, and no failure
    ///     is counted.
    /// - Returns: `nil`: the tenant has no such activation.
    package func judge(
        _ call: SignedCall, by sentID: String, ofApplication applicationKey: String, of tenant: ClientID
    ) async throws(EngineFault) -> Judged? {
        guard let activation = try await activation(sentID), activation.clientID == tenant else { return nil }
        let refused = Judged(isGood: false, activation: activation, factors: call.factors)
        let application: (tenant: Tenant, keys: ApplicationKeys)?
        do { application = try await engine.application(ofKey: applicationKey) } catch { throw EngineFault(error) }
        guard let application, application.tenant.id == tenant,
            let named = CallingActivation(sentID: sentID, secrets: activation.secrets)
        else { return refused }
        return try await judge(call, from: DeviceCaller(application.keys, activation: named), of: tenant) ?? refused
    }

    /// - Returns: `nil`: the length of the signature does not fit its factors, or the activation was removed. Nothing
    ///   is counted.
    private func judge(
        _ call: SignedCall, from signer: DeviceCaller, of tenant: ClientID,
        _ act: @escaping @Sendable (inout DeviceActivation, Timestamp) -> Void = { _, _ in }
    ) async throws(EngineFault) -> Judged? {
        guard let named = signer.activation else { return nil }
        var secrets = named.secrets
        for _ in 0..<Self.mostLooks {
            guard let current = CallingActivation(sentID: named.sentID, secrets: secrets) else { return nil }
            let match: SignatureMatch?
            do throws(DeviceProtocolError) {
                match = try devices.verify(call, from: DeviceCaller(signer.application, activation: current))
            } catch {
                switch error {
                case .refused, .unknownTemporaryKey: return nil
                case .fault(let fault): throw fault
                }
            }
            let noted = try await note(match, of: call.factors, at: current, tenant, act)
            guard let (outcome, activation) = noted else { return nil }
            switch outcome {
            case .matched: return Judged(isGood: true, activation: activation, factors: call.factors)
            case .mismatched, .notActive:
                return Judged(isGood: false, activation: activation, factors: call.factors)
            case .outdated: secrets = activation.secrets
            }
        }
        return nil
    }

    private func note(
        _ match: SignatureMatch?, of factors: SignatureFactors, at seen: CallingActivation, _ tenant: ClientID,
        _ act: @escaping @Sendable (inout DeviceActivation, Timestamp) -> Void
    ) async throws(EngineFault) -> (SignatureOutcome, DeviceActivation)? {
        let now = engine.now()
        do {
            let teller = try engine.webhookEventFactory(for: tenant, at: now)
            let noted = try await store.update(seen.id, telling: teller) { activation in
                let outcome = activation.take(match, of: factors, checkedWith: seen.secrets.counter, at: now)
                if outcome == .matched { act(&activation, now) }
                return (outcome, activation)
            }
            engine.wake(teller)
            return noted
        } catch { throw EngineFault(error) }
    }

    // MARK: Tokens

    /// Makes a token of an activation.
    /// - Parameter factors: the factors of the signature in the request.
    /// - Returns: the token's id and its secret of 16 bytes; `nil`: the activation is no longer active.
    package func makeToken(
        of activation: DeviceActivation, _ factors: SignatureFactors
    ) async throws(EngineFault) -> (id: DeviceTokenID, secret: [UInt8])? {
        do {
            let made = try devices.makeToken(of: activation.id)
            let token = DeviceToken(
                id: DeviceTokenID(random: try engine.crypto.randomBytes(16)), activationID: activation.id,
                sealedSecret: made.sealed, factors: factors, createdAt: engine.now())
            return try await tokens.add(token) ? (token.id, made.secret) : nil
        } catch { throw EngineFault(error) }
    }

    /// Checks a call that an app has signed with a token and sent to the operator's own backend. Nothing is changed.
    ///
    /// - Parameters:
    ///   - sentID: the token, as the app wrote it.
    ///   - systemNow: the machine's clock, to which phones set theirs.
    /// - Returns: `nil`: the tenant has no such token.
    package func judge(
        _ proof: TokenProof, token sentID: String, of tenant: ClientID, at systemNow: Timestamp
    ) async throws(EngineFault) -> Judged? {
        do {
            guard let id = DeviceTokenID(sentID), let token = try await tokens.token(id),
                let activation = try await store.activation(token.activationID), activation.clientID == tenant
            else { return nil }
            let isProof = try devices.isProof(proof, by: token.sealedSecret, of: activation.id, at: systemNow)
            return Judged(
                isGood: isProof && activation.standing.status == .active, activation: activation,
                factors: token.factors)
        } catch { throw EngineFault(error) }
    }

    /// Removes a token of an activation. A token of another activation is kept.
    package func removeToken(_ id: DeviceTokenID, of activation: DeviceActivation) async throws(EngineFault) {
        do { _ = try await tokens.removeToken(id, of: activation.id) } catch { throw EngineFault(error) }
    }
}

extension Session {
    /// Codes that the session still accepts.
    package var triesLeft: Int { isDone ? 0 : otp.attemptsLeft }
}
