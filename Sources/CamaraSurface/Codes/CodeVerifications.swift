internal import Possession
internal import SurfaceKit

/// Work that the calls about codes share. A code that was sent is a session that its backend drives, and its
/// `authenticationId` is the session's id.
struct CodeVerifications: Sendable {
    let engine: Engine
    private let backend: BackendVerifications

    init(_ engine: Engine) {
        self.engine = engine
        backend = BackendVerifications(engine)
    }

    /// Sends a code; returns when the carrier did not refuse it. Codes that the number had before end.
    func send(
        to number: String, _ template: MessageTemplate, for tenant: Tenant
    ) async throws(CamaraError) -> CorrelationID {
        let read = try target(number, for: tenant)
        var order: PlatformService.SessionOrder
        do throws(Policy.Defect) { order = try CodeRules.session(to: number, template) } catch {
            throw .internalFault("policy: \(error.what)")
        }
        order.number = read
        let reply: OperationReply
        do throws(PlatformRefusal) {
            reply = try await backend.start(order, for: tenant, BackendVerifications.Step()).reply
        } catch { throw CamaraError(error) }
        switch reply.refusal {
        case nil: return reply.session.correlationID
        case .messageFailed:
            switch reply.carrierFault {
            case .number, .refused: throw .numberBlocked
            case .busy, .unsure, .route, .account, .ours, nil: throw .notSent
            }
        case .sendsExhausted: throw .codesExceeded(retryAfterSeconds: nil)
        case .rateLimited(let hit): throw .sendLimited(hit)
        case let refusal?: throw .internalFault("a code was not sent: \(refusal)")
        }
    }

    private func target(_ text: String, for tenant: Tenant) throws(CamaraError) -> SubmittedNumber {
        let read: SubmittedNumber
        do throws(NumberRefusal) { read = try engine.numbers.read(text, for: tenant.id) } catch {
            switch error {
            case .malformed: throw .field(FieldDefect("phoneNumber", "is not a possible phone number"))
            case .notServed, .otherProduct: throw .numberNotServed
            case .refusedKind(let reason): throw .numberNotAllowed(reason: reason)
            }
        }
        if let reason = engine.numbers.kind(of: read.number)?.noText { throw .numberNotAllowed(reason: reason) }
        switch engine.closure(of: read.number, by: tenant.rules) {
        case nil: return read
        case .country: throw .numberNotServed
        case .line(let reason): throw .numberNotAllowed(reason: reason)
        }
    }

    /// Takes one code; returns when it is the right one.
    func validate(_ code: String, on id: CorrelationID, for tenant: Tenant) async throws(CamaraError) {
        let session = try await find(.correlation(id), for: tenant)
        guard let session, session.isReadable(at: engine.now()) else { throw .unknownVerification }
        if session.isDone { throw Self.ended(session) }
        // Only the newest code of a number is taken. A newer session whose message did not leave has none.
        if let number = session.currentNumber,
            let newest = try await find(.target(.number(number)), for: tenant),
            newest.correlationID != id,
            newest.sends.sendsLeft < newest.request.policy.sends
        {
            throw .verificationExpired
        }
        // A text that can be no code of ours costs no try.
        guard let code = OTP(code) else { throw .wrongCode(triesLeft: session.otp.attemptsLeft) }
        let reply: OperationReply?
        do throws(EngineFault) {
            reply = try await backend.check(code, on: .correlation(id), of: .camara, for: tenant.id)
        } catch { throw CamaraError(error) }
        guard let reply else { throw .unknownVerification }
        switch reply.refusal {
        case nil: return
        case .otpMismatch:
            guard reply.session.otp.attemptsLeft > 0, !reply.session.isDone else { throw .verificationFailed }
            throw .wrongCode(triesLeft: reply.session.otp.attemptsLeft)
        case .otpLength: throw .wrongCode(triesLeft: reply.session.otp.attemptsLeft)
        case .otpExpired: throw .verificationExpired
        case .sessionDone: throw Self.ended(reply.session)
        // No code has left.
        case .invalidState: throw .unknownVerification
        case .rateLimited(let hit): throw .rateLimited(hit)
        case let refusal?: throw .internalFault("a code was not checked: \(refusal)")
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
    /// Why no text message goes to a number of this kind; `nil`: one may.
    fileprivate var noText: String? {
        switch self {
        case .fixedLine: "is a landline"
        case .tollFree: "is toll-free"
        default: refusal
        }
    }
}
