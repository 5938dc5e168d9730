internal import Engine
internal import Possession
internal import SurfaceKit

/// Sends codes that another server made and will check.
///
/// For each API client, a number has one session of 10 minutes. The session sends every new code once: a repeated call
/// with the same code sends nothing, whatever id the caller gives the call.
struct CodeRelay: Sendable {
    private let verifications: Verifications

    /// The lifetime of a session. In this time a repeated code is not sent again.
    private static let lifetimeSeconds = 600

    init(_ engine: Engine) {
        verifications = Verifications(engine)
    }

    /// - Returns: the session that has sent the code, in this call or an earlier one.
    func send(_ order: CodeOrder, for tenant: Tenant) async throws(HookError) -> Session {
        guard let code = order.code else { throw .internalFault("an order without a code") }
        do throws(SendRefusal) {
            let recipient = try verifications.recipient(order.number, for: tenant)
            return try await verifications.start(Self.order(order, code, to: recipient), for: tenant).message.session
        } catch { throw HookError(error, number: order.numberField, code: order.codeField) }
    }

    private static func order(_ call: CodeOrder, _ code: OTP, to recipient: Recipient) -> VerificationOrder {
        var order = VerificationOrder(.hook, to: recipient)
        // Codes are not checked here. The earlier codes are kept to recognise repeated calls.
        order.code = .init(
            length: code.text.utf8.count, lifetimeSeconds: lifetimeSeconds, tries: 1,
            earlierCodes: Policy.Code.earlierBounds.upperBound)
        // Use the largest value: the limits of the number are stricter.
        order.window = .init(sends: Policy.sendsBounds.upperBound, lifetimeSeconds: lifetimeSeconds)
        order.reuse = .whileOpen
        order.message.content = .relayedCode(code, isConfirmed: call.isConfirmed)
        order.message.address = call.address
        return order
    }
}
