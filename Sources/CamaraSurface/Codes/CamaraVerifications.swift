internal import Engine
internal import Possession
internal import SurfaceKit

/// Sends and checks codes, for all calls about codes. Each sent code is a session that its backend drives; its
/// `authenticationId` is the session's id.
struct CamaraVerifications: Sendable {
    let engine: Engine
    private let backend: Verifications

    init(_ engine: Engine) {
        self.engine = engine
        backend = Verifications(engine)
    }

    /// Sends a code. Throws `.notSent` or `.numberBlocked` if the carrier refuses the message. Earlier codes of the
    /// number become invalid.
    func send(
        to number: String, _ template: MessageTemplate, for tenant: Tenant
    ) async throws(CamaraError) -> CorrelationID {
        do throws(SendRefusal) {
            let read = try backend.read(number, for: tenant.id)
            if let reason = engine.network.numbers.kind(of: read.number)?.noText { throw .lineRefused(reason: reason) }
            let order = CamaraRules.order(to: try backend.recipient(read, for: tenant), template)
            return try await backend.start(order, for: tenant).message.session.correlationID
        } catch { throw CamaraError(error) }
    }

    /// Checks one code; returns if it is right.
    func validate(_ code: String, on id: CorrelationID, for tenant: Tenant) async throws(CamaraError) {
        let session = try await find(.correlation(id), for: tenant)
        guard let session, session.isReadable(at: engine.now()) else { throw .unknownVerification }
        if session.isDone { throw Self.ended(session) }
        // Only the newest code of a number is accepted. A newer session counts only if its message was sent.
        if let number = session.currentNumber,
            let newest = try await find(.target(.number(number)), for: tenant),
            newest.correlationID != id,
            newest.sends.sendsLeft < newest.request.policy.sends
        {
            throw .verificationExpired
        }
        // A text that cannot be one of this server's codes does not count as a try.
        guard let code = OTP(code) else { throw .wrongCode(triesLeft: session.otp.attemptsLeft) }
        let result: CheckResult
        do throws(EngineFault) {
            result = try await backend.check(code, on: .correlation(id), of: .camara, for: tenant.id)
        } catch { throw CamaraError(error) }
        switch result {
        case .passed: return
        case .stopped: throw .verificationFailed
        case .wrong(let session):
            guard session.otp.attemptsLeft > 0, !session.isDone else { throw .verificationFailed }
            throw .wrongCode(triesLeft: session.otp.attemptsLeft)
        case .impossible(let session): throw .wrongCode(triesLeft: session.otp.attemptsLeft)
        case .late: throw .verificationExpired
        case .over(let session, _): throw Self.ended(session)
        // `.notAwaited`: no code was sent. Payments and retry keys do not occur on this surface.
        case .notAwaited, .otherPayment, .noSession, .retryKeyReused: throw .unknownVerification
        case .limited(let hit): throw .rateLimited(hit)
        }
    }

    private static func ended(_ session: Session) -> CamaraError {
        session.outcome == .failed ? .verificationFailed : .verificationExpired
    }

    private func find(_ key: SessionKey, for tenant: Tenant) async throws(CamaraError) -> Session? {
        do throws(EngineFault) { return try await backend.session(key, of: .camara, for: tenant.id) } catch {
            throw CamaraError(error)
        }
    }
}

extension NumberKind {
    /// Why a number of this kind gets no text messages; `nil`: it gets them.
    fileprivate var noText: String? {
        switch self {
        case .fixedLine: "is a landline"
        case .tollFree: "is toll-free"
        default: refusal
        }
    }
}
