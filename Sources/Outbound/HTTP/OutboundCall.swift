internal import Locks
package import Possession
package import Text

/// One HTTP call to another party's server, or one mail to a mail server.
package struct OutboundRequest: Sendable {
    /// The addresses that a call may connect to, whatever its URL names.
    package enum Addresses: Sendable, Equatable {
        /// For a URL of this server's operator; the other side may be on the same machine or network.
        case any
        /// For a URL that another party has chosen. Each address that the name resolves to is checked before a
        /// connection is made; if none is public, the call fails with `.connect`.
        case publicOnly
        /// The same, plus the networks that the operator has listed.
        case publicAnd(AddressRanges)
        /// All addresses that the operator's proxy allows: the proxy looks up names and decides about addresses. `http`
        /// and its host; every call opens its own tunnel through it (RFC 9110 section 9.3.6).
        case behind(proxy: String)

        /// Whether addresses are checked before a connection is made.
        var areChecked: Bool {
            switch self {
            case .any, .behind: false
            case .publicOnly, .publicAnd: true
            }
        }

        /// Whether a connection to the address may be made; `nil`: the address is unknown.
        func admit(_ address: IPAddress?) -> Bool {
            switch self {
            case .any, .behind: true
            case .publicOnly: address?.isPublic == true
            case .publicAnd(let ranges): address?.isPublic == true || ranges.contains(address)
            }
        }
    }

    package var method: String
    /// Absolute, `https` or `http`; for a mail as in `MailEnvelope`.
    package var url: String
    /// The client itself sets `Host` and `Content-Length`.
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// Covers everything: name look-up, connection, TLS, request, and the last byte of the response.
    package var timeout: Duration
    /// Longest body of a response; reading stops beyond it.
    package var maxResponseBytes = 64 * 1024
    package var addresses = Addresses.any
    /// The API client that has chosen the URL: its look-ups count against its limit. `nil`: the operator has chosen it.
    package var client: ClientID?
    /// Records when the request is sent; `nil`: not recorded.
    package var progress: OutboundProgress?
    /// Once its head is complete, the answer is accepted: a body that is longer than `maxResponseBytes`, that breaks
    /// off, or that has not ended in time is not a fault.
    package var takesBeginning = false
    /// Makes the call a mail, which has no HTTP method or headers. Its answer has the last SMTP status and no body.
    package var envelope: MailEnvelope?
}

/// Whether a request was sent, for a call that got no answer.
package final class OutboundProgress: Sendable {
    private let sent = Locked(false)

    package init() {}

    /// Whether the other side may have received the request.
    package var mayHaveArrived: Bool { sent.withLock { $0 } }
    /// Call when a connection exists and the request is written to it.
    package func noteSent() { sent.withLock { $0 = true } }
}

/// The answer to a call, whatever its status; a redirect is returned like any other answer.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// For a refused mail: the command that the status answers.
    package var step: MailStep?
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []

    /// The value of the first header with this name, in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.isSameIgnoringCase(as: name) }?.value
    }

    /// How long the other side wants no further calls, if it says so in seconds (RFC 9110 section 10.2.3). A date is
    /// ignored, because the two clocks may differ.
    var retryAfter: Duration? {
        guard let text = header("retry-after"), (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let seconds = Int(text)
        else { return nil }
        return .seconds(seconds)
    }
}

/// Why there is no response. Contains no text of the other side.
package enum OutboundFault: Error, Sendable, Equatable {
    case timeout
    /// No connection: an unknown name, a closed port, no route, or no allowed address.
    case connect
    /// The body is longer than the call allows, or the head than the client allows.
    case tooLarge
    /// The caller's task was cancelled, or the client was shut down.
    case cancelled
    /// `reason` names the kind of error.
    case failed(reason: String)
}

/// Makes the call: `OutboundHTTP.send`, or a test's script.
package typealias OutboundSend = @Sendable (OutboundRequest) async throws(OutboundFault) -> OutboundResponse
