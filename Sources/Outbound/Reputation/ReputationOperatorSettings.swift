/// All settings of one operator that reports the standing of its numbers. Texts as configured; `defects` reports their
/// errors.
package struct ReputationOperatorSettings: Sendable, Equatable {
    /// How the operator authorizes questions about a number (CAMARA Identity and Consent Management r4.2).
    package enum TokenWay: String, Sendable, CaseIterable {
        /// One token for all numbers; the call names the number.
        case clientCredentials = "client-credentials"
        /// A token for each number; the call must not name the number.
        case jwtBearer = "jwt-bearer"
    }

    /// The SIM Swap call that the operator offers.
    package enum SIMSwapCall: String, Sendable, CaseIterable {
        case check
        case retrieveDate = "retrieve-date"
    }

    /// Used in events and metrics: 1 to 32 of `a-z`, `0-9` and `-`.
    package var name: String
    /// Audience of our assertions.
    package var tokenURL: String
    /// Our client ID at the operator.
    package var clientID: String
    /// Base of CAMARA SIM Swap, such as `https://api.operator.example/sim-swap/v2`; `nil`: not asked.
    package var simSwapURL: String?
    /// Base of CAMARA Number Recycling, such as `https://api.operator.example/number-recycling/v0.2`; `nil`: not asked.
    package var recyclingURL: String?
    /// Prefixes of its numbers, such as `+4915`; `+`: all.
    package var prefixes: [String]
    package var tokenWay = TokenWay.clientCredentials
    package var simSwapCall = SIMSwapCall.check
    /// A SIM swap within this many hours counts; 1 to 2400.
    package var simSwapHours = 24
    /// Consecutive failures after which the operator is not called for a while; 0: never.
    package var breakerFailures = 5
    /// How long the operator is not called.
    package var breakerPause: Duration = .seconds(30)

    package init(
        name: String, tokenURL: String, clientID: String, simSwapURL: String? = nil, recyclingURL: String? = nil,
        prefixes: [String]
    ) {
        self.name = name
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.simSwapURL = simSwapURL
        self.recyclingURL = recyclingURL
        self.prefixes = prefixes
    }

    /// All errors, in the order of the fields, with the field names of the file.
    package func defects() -> [OperatorSettings.Defect] {
        var defects: [OperatorSettings.Defect] = []
        func check(_ field: String, _ reason: String?) {
            if let reason { defects.append(OperatorSettings.Defect(field: field, reason: reason)) }
        }
        check("", OperatorSettings.nameDefect(name).map { "has a wrong name: it " + $0 })
        check("tokenUrl", OutboundURL.defect(of: tokenURL))
        check("clientId", OperatorSettings.clientIDDefect(clientID))
        check("simSwapUrl", simSwapURL.flatMap { OutboundURL.defect(of: $0, isBase: true) })
        check("numberRecyclingUrl", recyclingURL.flatMap { OutboundURL.defect(of: $0, isBase: true) })
        if simSwapURL == nil, recyclingURL == nil {
            check("", "needs simSwapUrl or numberRecyclingUrl: there is nothing to ask")
        }
        for (index, prefix) in prefixes.enumerated() where !Self.isPrefix(prefix) {
            check("prefixes[\(index)]", "must be + and up to 15 digits")
        }
        return defects
    }

    private static func isPrefix(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "+") && (1...16).contains(text.utf8.count)
            && text.utf8.dropFirst().allSatisfy { $0 >= 48 && $0 <= 57 }
    }
}
