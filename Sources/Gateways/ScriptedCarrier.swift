package import Possession

/// The sandbox's carrier: does with a message what the script of its recipient says, and reaches nothing but the inbox.
/// A number that is no sandbox user's gets its messages at once.
package struct ScriptedCarrier: MessageGateway {
    private let users: SandboxUsers
    private let inbox: InMemoryInbox

    package init(users: SandboxUsers, inbox: InMemoryInbox) {
        self.users = users
        self.inbox = inbox
    }

    /// - Throws: `GatewayFault` when the user's delivery fails, or the inbox cannot hold the text.
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) {
        let user = users.user(message.to)
        switch user?.delivery ?? .ok {
        case .fail: throw GatewayFault("the sandbox user's delivery fails")
        case .ok: try inbox.send(message, delaySeconds: user?.deliveryDelaySeconds ?? 0)
        }
    }
}
