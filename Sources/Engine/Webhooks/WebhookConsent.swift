package import Possession

/// Result of the handshake that asks a receiver whether it accepts events: CloudEvents' HTTP 1.1 Web Hooks 1.0.2,
/// section 4.
package enum WebhookConsent: Sendable, Equatable {
    case given
    /// The receiver answered and did not allow events.
    case withheld
    case unanswered(WebhookAttempt.Failure)
    /// The server is asking another receiver of the same tenant.
    case busy
    /// Only a running server can ask.
    case notAsked

    /// Asks the receiver at a URL that a tenant named.
    package typealias Ask = @Sendable (_ url: String, _ client: ClientID) async -> WebhookConsent

    /// Why no endpoint is made, as the end of a sentence after the field's name; `nil`: the receiver agrees.
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
