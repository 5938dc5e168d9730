internal import Locks
package import Possession
internal import Text

/// Asks receivers whether they agree to get events, by the rules of CloudEvents' HTTP 1.1 Web Hooks 1.0.2, section 4.
///
///     OPTIONS /hooks   WebHook-Request-Origin: me.example   ->   2xx   WebHook-Allowed-Origin: me.example
package struct WebhookHandshake: Sendable {
    static let originHeader = "WebHook-Request-Origin"
    /// A call of a tenant waits meanwhile.
    static let timeout = Duration.seconds(5)

    private let origin: String
    private let addresses: OutboundRequest.Addresses
    private let send: OutboundSend
    /// Tenants for whom a receiver is being asked: one at a time.
    private let asking = Locked<Set<ClientID>>([])

    /// - Parameters:
    ///   - origin: the host name of this server.
    ///   - addresses: that may be called.
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

    /// A server that knows nothing of the handshake answers OPTIONS with 200 as well: only the header is consent.
    private func consent(in response: OutboundResponse) -> WebhookConsent {
        guard (200..<300).contains(response.status), let allowed = response.header("webhook-allowed-origin") else {
            return .withheld
        }
        return allowed.isSame(as: "*") || allowed.isSameIgnoringCase(as: origin) ? .given : .withheld
    }
}
