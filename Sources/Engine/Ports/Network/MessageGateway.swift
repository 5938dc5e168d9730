package import Possession

/// Gives messages to a carrier. Returns once the carrier has taken them.
package protocol MessageGateway: Sendable {
    /// A gateway that tries a message more than once asks `OutgoingMessage.isKept` before each further try.
    /// - Throws: `.givenUp`: another server may have taken the message meanwhile. Other faults: it was not taken.
    @discardableResult
    func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance

    /// Called when the outbox has recorded that the message was taken. A receipt before that starts no next route.
    func wasNoted(_ message: MessageID) async
}

/// For carriers whose receipts come as HTTP calls.
extension MessageGateway {
    package func wasNoted(_ message: MessageID) async {}
}
