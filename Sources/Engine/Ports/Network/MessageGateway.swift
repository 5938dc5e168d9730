package import Possession

/// Gives messages to a carrier. Returns once the carrier has taken them.
package protocol MessageGateway: Sendable {
    @discardableResult
    func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance

    /// Called when the outbox has recorded that the message was taken. A receipt before that starts no next route.
    func wasNoted(_ message: MessageID) async
}

/// For carriers whose receipts come as HTTP calls.
extension MessageGateway {
    package func wasNoted(_ message: MessageID) async {}
}
