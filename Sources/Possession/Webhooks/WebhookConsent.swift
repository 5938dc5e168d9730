/// Outcome of asking a receiver whether it agrees to get events: the handshake of CloudEvents' HTTP 1.1 Web Hooks 1.0.2,
/// section 4.
package enum WebhookConsent: Sendable, Equatable {
    case given
    /// It answered, and its answer does not allow it.
    case withheld
    case unanswered(WebhookAttempt.Failure)
    /// Another receiver of the same tenant is being asked.
    case busy
    /// Only a running server asks.
    case notAsked

    /// Asks a receiver at a URL that a tenant has named.
    package typealias Ask = @Sendable (_ url: String, _ client: ClientID) async -> WebhookConsent

    /// Why there is no endpoint, behind the name of the field; `nil`: it agrees.
    package var reason: String? {
        switch self {
        case .given: nil
        case .withheld:
            "did not agree: its answer to OPTIONS needs WebHook-Allowed-Origin with the origin that asked, or *"
        case .unanswered(let failure): "did not answer OPTIONS (\(failure.rawValue))"
        case .busy: "was not asked, because another one of the client is being asked: try again"
        case .notAsked: "cannot be asked: no server runs"
        }
    }
}
