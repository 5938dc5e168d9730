internal import Possession
internal import SurfaceKit

/// Sends codes that another server has made and will check.
///
/// Each number has one session of 10 minutes for each API client. It takes every code of its time, and sends each of them
/// once: a call that is repeated finds the code there, whatever the caller calls it by.
struct CodeRelay: Sendable {
    private let verifications: Verifications

    /// Life of a session, and the time for which a repeated code is not sent again.
    private static let lifetimeSeconds = 600

    init(_ engine: Engine) {
        verifications = Verifications(engine)
    }

    /// - Returns: the session that has sent the code, now or before.
    func send(_ order: CodeOrder, for tenant: Tenant) async throws(HookError) -> Session {
        guard let code = order.code else { throw .internalFault("an order without a code") }
        do throws(SendRefusal) {
            let recipient = try verifications.recipient(order.number, for: tenant)
            return try await verifications.start(Self.order(order, code, to: recipient), for: tenant).message.session
        } catch { throw HookError(error, number: order.numberField, code: order.codeField) }
    }

    private static func order(_ call: CodeOrder, _ code: OTP, to recipient: Recipient) -> VerificationOrder {
        var order = VerificationOrder(.hook, to: recipient)
        // No code is tried here. Earlier ones count as sent too.
        order.code = .init(
            length: code.text.utf8.count, lifetimeSeconds: lifetimeSeconds, tries: 1,
            earlierCodes: Policy.Code.earlierBounds.upperBound)
        // The limits of the number are narrower.
        order.window = .init(sends: Policy.sendsBounds.upperBound, lifetimeSeconds: lifetimeSeconds)
        order.reuse = .whileOpen
        order.message.content = .relayedCode(code, isConfirmed: call.isConfirmed)
        order.message.address = call.address
        return order
    }
}
