package import Possession
internal import Text

/// Makes one attempt to tell an endpoint of an event: by the rules of Standard Webhooks 1.0.0, to an address that a
/// stranger may choose.
package struct WebhookSender: Sendable {
    private let body: WebhookBody
    private let signing: WebhookSigning
    private let addresses: OutboundRequest.Addresses
    private let send: OutboundSend
    private let now: Now
    private let origin: String
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - origin: the host name of this server, for receivers that had to agree.
    ///   - addresses: that may be called.
    ///   - now: the machine's clock, by which receivers compare.
    ///   - report: told what is wrong with us, without personal data.
    package init(
        body: WebhookBody, signing: WebhookSigning, origin: String, addresses: OutboundRequest.Addresses,
        send: @escaping OutboundSend,
        now: @escaping Now, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.body = body
        self.signing = signing
        self.origin = origin
        self.addresses = addresses
        self.send = send
        self.now = now
        self.report = report
    }

    /// - Parameter keysAt: the time by which the endpoint's keys are valid.
    package func attempt(
        _ event: WebhookEvent, at endpoint: WebhookEndpoint, keysAt: Timestamp
    ) async -> WebhookAttempt {
        let bytes = body.bytes(event, for: endpoint)
        let moment = now()
        let signature: String
        do throws(TokenFault) {
            signature = try signing.header(
                event.id.name, at: moment, bytes, keys: endpoint.signingKeys(at: keysAt))
        } catch {
            report("a webhook was not signed: \(error)")
            return WebhookAttempt(status: nil, failure: .broken)
        }
        var request = OutboundRequest(
            method: "POST", url: event.news.url(for: endpoint),
            headers: [
                ("Content-Type", WebhookBody.contentType(endpoint.format)), ("User-Agent", "Holdfast-Webhooks"),
                ("webhook-id", event.id.name), ("webhook-timestamp", String(moment.seconds)),
                ("webhook-signature", signature),
            ], body: bytes, timeout: WebhookRules.timeout, maxResponseBytes: WebhookRules.mostAnswerBytes,
            addresses: addresses)
        if endpoint.hasHandshake { request.headers.append((WebhookHandshake.originHeader, origin)) }
        // The status is the answer.
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
