// Mobile network operators, as the engine needs them: CAMARA Number Verification 2.1.0 is what the adapter speaks.

/// One operator that can tell which number a cellular connection belongs to.
package protocol MobileOperator: Sendable {
    /// Unique among the operators of this server; stands in events and metrics.
    var name: String { get }

    /// Where the device's own cellular connection is sent: the operator's `authorize` (OpenID Connect authorization code
    /// flow without interaction, PKCE S256). `nil`: its network has no such device.
    func authorizeURL(_ request: OperatorRequest) -> String?

    /// Redeems what the device brought, and asks for the number, or checks `claimed` when there is one.
    /// - Throws: `OperatorFault` for everything but an answer; soon: the client waits no longer than it was told.
    func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer
}

/// Grant that a device has of its operator, which speaks for its subscription once.
package enum OperatorGrant: Sendable {
    /// Came back with the device's own connection, and what proves that we sent it there.
    case code(String, verifier: String)
    /// The app handed it in.
    case token(OperatorToken)
}

/// Content of one front-channel request to an operator.
package struct OperatorRequest: Sendable, Equatable {
    /// Signed by us; comes back with the code.
    package let state: String
    /// base64url of SHA-256 of the verifier (RFC 7636 section 4.2).
    package let codeChallenge: String
    /// The number that will be checked (`verify`); `nil`: it will be asked for (`device-phone-number`). The two need
    /// different scopes. The number itself is not sent.
    package let claimed: PhoneNumber?
    /// Number that the device says is its own. Only a network that is played listens to that.
    package let saidNumber: String?
    /// Number whose connection this is meant to be, sent as `login_hint=tel:...`. A real network knows and must not be told.
    package var loginHint: PhoneNumber?

    package init(state: String, codeChallenge: String, claimed: PhoneNumber?, saidNumber: String? = nil) {
        self.state = state
        self.codeChallenge = codeChallenge
        self.claimed = claimed
        self.saidNumber = saidNumber
    }
}

package enum OperatorAnswer: Sendable, Equatable {
    /// Nothing was claimed; this is the connection's number.
    case number(PhoneNumber)
    /// Whether the connection has the claimed number.
    case verified(Bool)
}

/// Why an operator gave no answer. All of them mean "unavailable" to the client.
package enum OperatorFault: Error, Sendable, Equatable {
    /// The device did not come over the operator's network.
    case notOnNetwork
    case timeout
    /// Too many failures lately: not even asked.
    case circuitOpen
    /// `reason` is ours: which call, which status; never a number or a token.
    case failed(reason: String)
}
