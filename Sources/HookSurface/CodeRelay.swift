internal import Possession
internal import SurfaceKit

/// Sends codes that another server has made and will check.
///
/// Each number has one session of 10 minutes for each API client. It takes every code of its time, and sends each of them
/// once: a call that is repeated finds the code there, whatever the caller calls it by.
struct CodeRelay: Sendable {
    private let backend: BackendVerifications

    /// Life of a session, and the time for which a repeated code is not sent again.
    private static let lifetimeSeconds = 600

    init(_ engine: Engine) {
        backend = BackendVerifications(engine)
    }

    /// - Returns: the session that has sent the code, now or before.
    func send(_ order: CodeOrder, for tenant: Tenant) async throws(HookError) -> Session {
        guard let code = order.code else { throw .internalFault("an order without a code") }
        var step = BackendVerifications.Step()
        (step.own, step.isRelayed, step.isConfirmed, step.address) = (code, true, order.isConfirmed, order.address)
        do throws(SendRefusal) {
            var wanted: PlatformService.SessionOrder
            do throws(Policy.Defect) { wanted = try Self.session(order.number, code) } catch {
                throw .engine(.failed("policy: \(error.what)"))
            }
            wanted.number = try backend.recipient(order.number, for: tenant)
            switch try await backend.start(wanted, for: tenant, step, goesOn: { !$0.isDone }) {
            case .sent(let sent): return sent.session
            case .silent(let session, _), .stopped(let session): return session
            }
        } catch { throw HookError(error, number: order.numberField, code: order.codeField) }
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

}
