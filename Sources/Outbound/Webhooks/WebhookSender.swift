package import Engine
package import Possession
internal import Text

/// Makes one attempt to deliver an event to an endpoint, whose URL another party may have chosen.
package struct WebhookSender: Sendable {
    private let dialects: [WebhookEndpoint.Format: any WebhookDialect]
    private let addresses: OutboundRequest.Addresses
    private let send: OutboundSend
    private let origin: String
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - dialects: one for each format.
    ///   - origin: the host name of this server, for receivers with a handshake.
    ///   - addresses: those that may be called.
    ///   - report: called with a fault of this server, without personal data.
    package init(
        dialects: [WebhookEndpoint.Format: any WebhookDialect], origin: String, addresses: OutboundRequest.Addresses,
        send: @escaping OutboundSend, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.dialects = dialects
        self.origin = origin
        self.addresses = addresses
        self.send = send
        self.report = report
    }

    /// - Parameter keysAt: the time that selects the valid keys of the endpoint.
    package func attempt(
        _ event: WebhookEvent, at endpoint: WebhookEndpoint, keysAt: Timestamp
    ) async -> WebhookAttempt {
        let posting: WebhookPosting?
        do throws(TokenFault) {
            posting = try dialects[endpoint.format]?.posting(
                event, to: endpoint, keys: endpoint.signingKeys(at: keysAt))
        } catch {
            report("a webhook was not signed: \(error)")
            return WebhookAttempt(status: nil, failure: .broken)
        }
        guard let posting else {
            // The format cannot express such an event, so it should not be here. Another attempt does not help.
            report("the format \(endpoint.format.rawValue) has no word for \(event.news.type.rawValue)")
            return WebhookAttempt(status: nil, failure: .aborted)
        }
        var request = OutboundRequest(
            method: "POST", url: event.news.url(for: endpoint),
            headers: posting.headers + [("User-Agent", "Holdfast-Webhooks")], body: posting.body,
            timeout: WebhookRules.timeout, maxResponseBytes: WebhookRules.mostAnswerBytes, addresses: addresses)
        if endpoint.hasHandshake { request.headers.append((WebhookHandshake.originHeader, origin)) }
        request.client = endpoint.clientID
        // Only the status matters.
        request.takesBeginning = true
        do throws(OutboundFault) { return WebhookAttempt(try await send(request)) } catch {
            return WebhookAttempt(error)
        }
    }
}

extension WebhookAttempt {
    init(_ response: OutboundResponse) {
        if (200..<300).contains(response.status) {
            self = .taken(response.status)
        } else if response.header("webhook-delivery")?.isSame(as: "abort-message") == true {
            self.init(status: response.status, failure: .aborted)
        } else {
            self.init(status: response.status, failure: .status, wish: response.retryAfter)
        }
    }

    init(_ fault: OutboundFault) {
        let failure: Failure
        switch fault {
        case .timeout: failure = .timeout
        case .connect: failure = .refused
        case .tls: failure = .tls
        case .tooLarge, .cancelled, .failed: failure = .broken
        }
        self.init(status: nil, failure: failure)
    }
}
