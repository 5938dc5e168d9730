internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Proofs without a message. A phone opens a link over its cellular connection and follows a chain of addresses. Its
/// operator identifies the connection, and the last address ends the proof on this server.
///
///     let begun = try await silent.begin(SilentOrder(number: "12001004016"), for: tenant)
///     // The phone opens begun.link. Meanwhile:
///     let session = try await requests.find(.correlation(begun.session.correlationID), for: tenant)
///     let standing = try await silent.standing(of: session)
struct OtplessSilent: Sendable {
    static let hopPath = OtplessPath.silent + "/{attemptId}"
    static let endPath = OtplessPath.silent + "/end"

    struct Begun: Sendable {
        let session: Session
        /// An absolute URL. Its ticket is valid for the first hop only.
        let link: String
    }

    enum Standing: Sendable, Equatable {
        case pending, succeeded
        case failed(SilentFailure)
    }

    let verifications: OtplessVerifications
    let chain: MobileAuthService
    /// Scheme and authority of the hops.
    private let publicURL: String

    init(_ verifications: OtplessVerifications, publicURL: String) {
        self.verifications = verifications
        self.publicURL = publicURL
        chain = MobileAuthService(verifications.engine, in: SessionFence(products: [.otpless]))
    }

    private var engine: Engine { verifications.engine }

    // MARK: Begin

    /// Whether the server and the API client have silent proofs switched on.
    func isThere(for tenant: Tenant) -> Bool { engine.rules.capabilities.mobileAuth && tenant.rules.mobileAuth }

    /// Begins a request with a silent proof. Sends no message.
    /// - Throws: `.silentUnavailable`, `.field`, `.countryClosed`, and the errors of every call.
    /// - Parameter app: the app that asks for it; `nil`: the backend asks.
    func begin(
        _ order: SilentOrder, for tenant: Tenant, _ app: StartedApp? = nil
    ) async throws(OtplessError) -> Begun {
        guard isThere(for: tenant) else { throw .silentUnavailable }
        var wanted = try verifications.order(order, for: tenant)
        wanted.message = OtplessVerifications.message(of: app)
        wanted.declaration = declaration(order)
        wanted.names = app.map { [$0.state.name] } ?? []
        wanted.startKeys = verifications.startKeys(of: app)
        do throws(SendRefusal) { return try begun(try await verifications.backend.start(wanted, for: tenant)) } catch {
            throw OtplessError(error)
        }
    }

    /// Begins the silent proof of a request that `create` has stored. If the proof fails, a code follows.
    /// - Throws: `.silentUnavailable`: also if the request is for an address; `.unknownRequest`: also if the request
    ///   has already begun.
    func begin(
        created session: Session, platform: Platform = .ios, appHash: String? = nil, for app: StartedApp
    ) async throws(OtplessError) -> Begun {
        guard isThere(for: app.tenant), session.currentNumber != nil else { throw .silentUnavailable }
        var order = SilentOrder(platform: platform, appHash: appHash)
        order.fallback = CodeOrder()
        do throws(SendRefusal) {
            return try begun(
                try await verifications.backend.begin(
                    OtplessVerifications.message(of: app), declaring: declaration(order), named: [app.state.name],
                    on: .correlation(session.correlationID), of: .otpless, for: app.tenant.id))
        } catch { throw OtplessError(error) }
    }

    private func declaration(_ order: SilentOrder) -> Session.Declaration {
        Session.Declaration(
            platform: order.platform, fallback: order.fallback == nil ? nil : .otp, deviceKey: false, cellular: .yes,
            codeReader: order.appHash, mobileAuthReturnURL: publicURL + Self.endPath)
    }

    private func begun(_ result: SendResult) throws(SendRefusal) -> Begun {
        guard case .silent(let session, let offer) = result else { throw .notAwaited(result.message.session) }
        let attempt = engine.crypto.keyed.text(offer.attempt.bytes)
        return Begun(session: session, link: "\(publicURL)\(OtplessPath.silent)/\(attempt)?t=\(offer.ticket)")
    }

    // MARK: Watch

    /// The standing of a request's silent proof. `.failed` is final: a phone cannot change it later.
    /// - Parameter session: from `OtplessVerifications.find`, which ends a proof that can no longer succeed.
    func standing(of session: Session) async throws(OtplessError) -> Standing {
        if session.proof?.method == .mobileAuth { return .succeeded }
        if session.phase == .created || session.phase == .active(.mobileAuth) { return .pending }
        return .failed(SilentFailure(MobileAuthFailure(session, try await verifications.events(of: session))))
    }

    /// Ends the silent proof because the app no longer waits. A proof that is over stays unchanged.
    /// - Returns: the request after this: it waits for a code, or it is over.
    func giveUp(_ session: Session) async throws(OtplessError) -> Session {
        do throws(EngineFault) {
            let after = try await verifications.backend.finishMobileAuth(
                nil, from: nil, on: .correlation(session.correlationID), of: .otpless, for: session.clientID)
            guard let after else { throw EngineFault.failed("a request is gone while its caller waits") }
            return after
        } catch { throw OtplessError(error) }
    }

    // MARK: The phone

    /// The attempt of a fingerprint; `nil`: this server did not make the fingerprint.
    func attempt(of fingerprint: String) -> AttemptID? {
        engine.crypto.mobileAuthTokens.fingerprint(in: fingerprint)?.attempt
    }

    /// Ends the proof with the fingerprint that the phone has brought. A repeated call gets the same answer.
    /// - Parameter address: of the phone, if it is known.
    /// - Returns: whether this attempt has proven the number.
    func end(
        _ fingerprint: String, from address: IPAddress?, note: NoteSession?
    ) async throws(OtplessError) -> Bool {
        guard let attempt = attempt(of: fingerprint), let session = try await session(of: attempt) else { return false }
        note?(session)
        do throws(EngineFault) {
            let after = try await verifications.backend.finishMobileAuth(
                fingerprint, from: address, on: .attempt(attempt), of: .otpless, for: session.clientID)
            return after.map { $0.proof?.method == .mobileAuth && $0.mobileAuth.attempt == attempt } ?? false
        } catch { throw OtplessError(error) }
    }

    /// The name of the API client that asks, if a phone could take the first hop now; `nil`: it could not.
    func asker(_ order: FirstHop.Order) async throws(OtplessError) -> String? {
        guard let attempt = order.attemptID(engine.crypto.keyed), let session = try await session(of: attempt),
            session.phase == .active(.mobileAuth), session.mobileAuth.attempt == attempt,
            let end = session.mobileAuth.ticketExpiresAt, engine.now() < min(end, session.expiresAt)
        else { return nil }
        do throws(EngineFault) {
            return try await engine.activeTenant(session.clientID).map { $0.rules.displayName ?? $0.id.text }
        } catch { throw OtplessError(error) }
    }

    private func session(of attempt: AttemptID) async throws(OtplessError) -> Session? {
        do { return try await engine.session(.attempt(attempt), in: chain.fence) } catch { throw OtplessError(error) }
    }
}
