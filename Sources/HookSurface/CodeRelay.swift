internal import Possession
internal import SurfaceKit

/// Sends codes that another server has made and will check.
///
/// Each number has one session of 10 minutes for each API client. It takes every code of its time, and sends each of them
/// once: a call that is repeated finds the code there, whatever the caller calls it by.
struct CodeRelay: Sendable {
    private let engine: Engine
    private let backend: BackendVerifications

    /// Life of a session, and the time for which a repeated code is not sent again.
    private static let lifetimeSeconds = 600

    init(_ engine: Engine) {
        self.engine = engine
        backend = BackendVerifications(engine)
    }

    /// - Returns: the session that has sent the code, now or before.
    func send(_ order: CodeOrder, for tenant: Tenant) async throws(HookError) -> Session {
        guard let code = order.code else { throw .internalFault("an order without a code") }
        let read = try read(order, for: tenant.id)
        switch engine.closure(of: read.number, by: tenant.rules) {
        case nil: break
        case .country: throw .countryClosed
        case .line(let reason): throw .field(FieldDefect(order.numberField, reason))
        }
        var sessionOrder: PlatformService.SessionOrder
        do throws(Policy.Defect) { sessionOrder = try Self.session(order.number, code) } catch {
            throw .internalFault("policy: \(error.what)")
        }
        sessionOrder.number = read
        var step = BackendVerifications.Step()
        (step.own, step.isRelayed, step.isConfirmed, step.address) = (code, true, order.isConfirmed, order.address)
        let asked = step
        let reply: OperationReply
        do throws(PlatformRefusal) {
            reply = try await backend.start(sessionOrder, for: tenant, asked, goesOn: { !$0.isDone }).reply
        } catch {
            guard case .invalidField(let field, let reason) = error else { throw HookError(error) }
            throw .field(FieldDefect(field == .codeLength ? order.codeField : order.numberField, reason))
        }
        switch reply.refusal {
        case nil: return reply.session
        case .sendsExhausted: throw .sendsUsedUp(retryAfterSeconds: secondsLeft(of: reply.session))
        case .messageFailed: throw .notSent
        case .rateLimited(let hit): throw .rateLimited(hit)
        case let refusal?: throw .internalFault("a code was not sent: \(refusal)")
        }
    }

    private static func session(_ number: String, _ code: OTP) throws(Policy.Defect) -> PlatformService.SessionOrder {
        var session = PlatformService.SessionOrder(.hook, flow: .mobile)
        session.checks = .code
        session.phoneNumber = number
        // Nobody tries a code here. Earlier ones count as sent as well.
        session.code = try Policy.Code(
            length: code.text.utf8.count, lifetimeSeconds: lifetimeSeconds, tries: 1,
            earlierCodes: Policy.Code.earlierBounds.upperBound)
        // The limits of the number are narrower.
        session.sends = Policy.sendsBounds.upperBound
        session.lifetimeSeconds = lifetimeSeconds
        return session
    }

    private func read(_ order: CodeOrder, for client: ClientID) throws(HookError) -> SubmittedNumber {
        do throws(NumberRefusal) { return try engine.numbers.read(order.number, for: client) } catch {
            let reason =
                switch error {
                case .malformed: "is not a possible phone number"
                case .notServed(let reason), .otherProduct(let reason): "is not served: \(reason)"
                case .refusedKind(let reason): reason
                }
            throw .field(FieldDefect(order.numberField, reason))
        }
    }

    /// Whole seconds until another session may begin for the number.
    private func secondsLeft(of session: Session) -> Int {
        max(1, Int((session.expiresAt.milliseconds - engine.now().milliseconds + 999) / 1000))
    }
}
