internal import Locks
package import Possession

/// The sandbox's carrier: does with a message what the script of its recipient says, and reaches nothing but the inbox.
/// A number that is no sandbox user's gets its messages at once.
package final class ScriptedCarrier: MessageGateway {
    /// Answers an instant link as the person would who got it, and returns once that is durable.
    package typealias AnswerLink = @Sendable (_ token: String, _ approves: Bool) async -> Void

    private let users: SandboxUsers
    private let inbox: InMemoryInbox
    private let answer = Locked<AnswerLink?>(nil)

    package init(users: SandboxUsers, inbox: InMemoryInbox) {
        self.users = users
        self.inbox = inbox
    }

    /// Users whose script says so answer their links by `answer` from now on.
    package func answerLinks(by answer: @escaping AnswerLink) {
        self.answer.withLock { $0 = answer }
    }

    /// - Throws: `GatewayFault` when the user's delivery fails, or the inbox cannot hold the text.
    @discardableResult
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        let user = users.user(message.to)
        switch user?.delivery ?? .ok {
        case .fail: throw GatewayFault("the sandbox user's delivery fails", kind: .number)
        case .ok: try inbox.send(message, delaySeconds: user?.deliveryDelaySeconds ?? 0)
        }
        if let user { await play(user, message) }
        return Acceptance()
    }

    /// A link that arrives later is left to whoever opens it.
    private func play(_ user: SandboxUser, _ message: OutgoingMessage) async {
        guard let token = message.linkToken, user.deliveryDelaySeconds == 0 else { return }
        let answer = answer.withLock { $0 }
        switch user.link {
        case .open, .mismatch: break
        case .approve: await answer?(token, true)
        case .deny: await answer?(token, false)
        }
    }
}
