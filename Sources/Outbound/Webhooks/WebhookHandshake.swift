internal import Locks
package import Engine
package import Possession
internal import Text

/// Asks receivers whether they agree to receive events, by the rules of CloudEvents' HTTP 1.1 Web Hooks 1.0.2, section
/// 4.
///
///     OPTIONS /hooks   WebHook-Request-Origin: me.example   ->   2xx   WebHook-Allowed-Origin: me.example
package struct WebhookHandshake: Sendable {
    static let originHeader = "WebHook-Request-Origin"
    /// A tenant's call waits meanwhile.
    static let timeout = Duration.seconds(5)

    private let origin: String
    private let addresses: OutboundRequest.Addresses
    private let send: OutboundSend
    /// Tenants for whom a receiver is being asked: one request at a time for each.
    private let asking = Locked<Set<ClientID>>([])

    /// - Parameters:
    ///   - origin: the host name of this server.
    ///   - addresses: those that may be called.
    package init(origin: String, addresses: OutboundRequest.Addresses, send: @escaping OutboundSend) {
        self.origin = origin
        self.addresses = addresses
        self.send = send
    }

    package func ask(_ url: String, for client: ClientID) async -> WebhookConsent {
        guard asking.withLock({ $0.insert(client).inserted }) else { return .busy }
        defer { asking.withLock { _ = $0.remove(client) } }
        var request = OutboundRequest(
            method: "OPTIONS", url: url,
            headers: [("User-Agent", "Holdfast-Webhooks"), (Self.originHeader, origin)], timeout: Self.timeout,
            maxResponseBytes: WebhookRules.mostAnswerBytes, addresses: addresses)
        request.client = client
        request.takesBeginning = true
        do throws(OutboundFault) { return consent(in: try await send(request)) } catch {
            return .unanswered(WebhookAttempt(error).failure ?? .broken)
        }
    }

    /// A server that does not know the handshake also answers OPTIONS with 200: only the header means consent.
    private func consent(in response: OutboundResponse) -> WebhookConsent {
        guard (200..<300).contains(response.status), let allowed = response.header("webhook-allowed-origin") else {
            return .withheld
        }
        return allowed.isSame(as: "*") || allowed.isSameIgnoringCase(as: origin) ? .given : .withheld
    }
}
