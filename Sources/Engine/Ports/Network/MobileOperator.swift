package import Possession

// Mobile network operators, as the engine needs them. The adapter uses CAMARA Number Verification 2.1.0.

/// An operator that knows the number of a cellular connection.
package protocol MobileOperator: Sendable {
    /// Unique among the operators of this server. Events and metrics contain it.
    var name: String { get }

    /// The URL for the device's own cellular connection: the operator's `authorize` (OpenID Connect authorization code
    /// flow without interaction, PKCE S256). `nil`: the operator's network has no such device.
    func authorizeURL(_ request: OperatorRequest) -> String?

    /// Redeems the device's grant, and asks for the number, or checks `claimed` if there is one.
    /// - Throws: `OperatorFault` if there is no answer. It throws soon: the client waits only for the time that it was
    ///   given.
    func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer
}

/// A device's grant from its operator. It can be used once for the subscriber.
package enum OperatorGrant: Sendable {
    /// The code that came back over the device's own connection, and the verifier that proves that this server sent the
    /// device.
    case code(String, verifier: String)
    /// A token that the app submitted.
    case token(OperatorToken)
}

/// Parameters of one front-channel request to an operator.
package struct OperatorRequest: Sendable, Equatable {
    /// Signed by this server; returned with the code.
    package let state: String
    /// base64url of SHA-256 of the verifier (RFC 7636 section 4.2).
    package let codeChallenge: String
    /// The number to check (`verify`); `nil`: the operator is asked for the number (`device-phone-number`). The two
    /// need different scopes. The number itself is not sent.
    package let claimed: PhoneNumber?
    /// The number that the device reports for itself. Only a simulated network uses it.
    package let saidNumber: String?
    /// The number of the connection in a simulation, sent as `login_hint=tel:...`. A real network knows it and must not
    /// get it.
    package var loginHint: PhoneNumber?

    package init(state: String, codeChallenge: String, claimed: PhoneNumber?, saidNumber: String? = nil) {
        self.state = state
        self.codeChallenge = codeChallenge
        self.claimed = claimed
        self.saidNumber = saidNumber
    }
}

package enum OperatorAnswer: Sendable, Equatable {
    /// No number was claimed; this is the connection's number.
    case number(PhoneNumber)
    /// Whether the connection has the claimed number.
    case verified(Bool)
}

/// Why an operator gave no answer. The client gets "unavailable" for all of them.
package enum OperatorFault: Error, Sendable, Equatable {
    /// The device's connection is not over the operator's network.
    case notOnNetwork
    case timeout
    /// Too many recent failures: the operator was not asked.
    case circuitOpen
    /// `reason` is our text: which call, which status; never a number or a token.
    case failed(reason: String)
}
