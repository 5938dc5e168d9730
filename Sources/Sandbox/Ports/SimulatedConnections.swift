package import Engine
package import Possession
package import Text

/// Mobile operators of a sandbox: the server names the number of a device's connection to them, because there is no
/// real network (contract section 8, Mobile Auth).
package struct SimulatedConnections: MobileOperators {
    private let operators: any MobileOperators
    private let numbers: any NumberDirectory

    /// - Parameter numbers: reads the number that a device states.
    package init(_ operators: any MobileOperators, numbers: any NumberDirectory) {
        self.operators = operators
        self.numbers = numbers
    }

    package func serving(address: IPAddress?) -> (any MobileOperator)? {
        operators.serving(address: address).map { SimulatedConnection(carrier: $0, numbers: numbers) }
    }

    package func takingTokens(of network: PLMN) -> (any MobileOperator)? { operators.takingTokens(of: network) }

    package var onlyOneTakingTokens: (any MobileOperator)? { operators.onlyOneTakingTokens }

    package func named(_ name: String) -> (any MobileOperator)? { operators.named(name) }
}

private struct SimulatedConnection: MobileOperator {
    let carrier: any MobileOperator
    let numbers: any NumberDirectory

    var name: String { carrier.name }

    /// The session's number, otherwise the one that the device names, otherwise the default.
    func authorizeURL(_ request: OperatorRequest) -> String? {
        var request = request
        if let claimed = request.claimed {
            request.loginHint = claimed
        } else if let said = request.saidNumber {
            guard let named = try? numbers.read(said).number else { return nil }
            request.loginHint = named
        } else {
            request.loginHint = SandboxUsers.defaultNumber
        }
        return carrier.authorizeURL(request)
    }

    func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
        try await carrier.identify(grant, claimed: claimed)
    }
}
