internal import Locks
package import Possession
package import Text

/// One HTTP call to somebody else's server, or one mail to a mail server.
package struct OutboundRequest: Sendable {
    /// The addresses that a call may go to, whatever its URL names.
    package enum Addresses: Sendable, Equatable {
        /// For a URL of this server's operator, who may have the other side on the same machine or network.
        case any
        /// For a URL that somebody else has chosen. Each address that the name resolves to is checked before a connection is
        /// made; when none is public, the call fails with `.connect`.
        case publicOnly
        /// The same, and those of networks that the operator has listed for it.
        case publicAnd(AddressRanges)
        /// All that this proxy of the operator's lets through: it looks names up, and decides about addresses. `http` and its host;
        /// every call makes a tunnel of its own through it (RFC 9110 section 9.3.6).
        case behind(proxy: String)

        /// Whether addresses are looked at before a connection is made.
        var areChecked: Bool {
            switch self {
            case .any, .behind: false
            case .publicOnly, .publicAnd: true
            }
        }

        /// Whether a connection to the address may be made; `nil` stands for one that cannot be told.
        func admit(_ address: IPAddress?) -> Bool {
            switch self {
            case .any, .behind: true
            case .publicOnly: address?.isPublic == true
            case .publicAnd(let ranges): address?.isPublic == true || ranges.contains(address)
            }
        }
    }

    package var method: String
    /// Absolute, `https` or `http`; of a mail as its envelope says.
    package var url: String
    /// `Host` and `Content-Length` are the client's own.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// For everything: name look-up, connection, TLS, request, and the last byte of the response.
    package var timeout: Duration
    /// Longest body of a response; a longer one is not read to its end.
    package var maxResponseBytes: Int
    package var addresses: Addresses
    /// The API client that has chosen the URL: its names are looked up within its share. `nil`: the operator has.
    package var client: ClientID?
    /// Told when the request goes out; `nil`: nobody asks.
    package var progress: OutboundProgress?
    /// Once its head is whole, the answer counts as it is: a body that is longer than `maxResponseBytes`, that breaks off,
    /// or that has not ended in time is no fault.
    package var takesBeginning = false
    /// Makes it a mail, which has neither method nor headers of HTTP. Its answer has the last status of SMTP, and no body.
    package var envelope: MailEnvelope?

    package init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration, maxResponseBytes: Int = 64 * 1024, addresses: Addresses = .any
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maxResponseBytes = maxResponseBytes
        self.addresses = addresses
    }
}

/// Whether a request has gone out: what is known of a call that got no answer.
package final class OutboundProgress: Sendable {
    private let sent = Locked(false)

    package init() {}

    /// Whether the other side may have got the request.
    package var mayHaveArrived: Bool { sent.withLock { $0 } }
    /// A connection is there, and the request is written to it.
    package func noteSent() { sent.withLock { $0 = true } }
}

/// The answer to a call, whatever its status; a redirect is an answer like any other.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// The command that the status answers, of a mail that was refused.
    package var step: MailStep?
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with this name, in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.isSameIgnoringCase(as: name) }?.value
    }

    /// How long the other side wants to be left alone, where it says so in seconds (RFC 9110 section 10.2.3). A date is
    /// not read: it would take the other side's clock for ours.
    var retryAfter: Duration? {
        guard let text = header("retry-after"), (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let seconds = Int(text)
        else { return nil }
        return .seconds(seconds)
    }
}

/// Why there is no response. No text of the other side is in it.
package enum OutboundFault: Error, Sendable, Equatable {
    case timeout
    /// No connection came about: an unknown name, a closed port, no route, no address that the call may go to.
    case connect
    /// The body is longer than the call takes, or the head than the client does.
    case tooLarge
    /// The caller's task was cancelled, or the client is shut down.
    case cancelled
    /// `reason` names the kind of error.
    case failed(reason: String)
}

/// Makes the call; `OutboundHTTP.send`, or a test's script.
package typealias OutboundSend = @Sendable (OutboundRequest) async throws(OutboundFault) -> OutboundResponse
