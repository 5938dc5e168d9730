package import Possession
package import Text

/// All settings of one operator. Texts as configured; `defects` reports their errors.
package struct OperatorSettings: Sendable, Equatable {
    /// Used in events and metrics: 1 to 32 of `a-z`, `0-9` and `-`.
    package var name: String
    /// URL to which devices are sent.
    package var authorizeURL: String
    /// URL where codes are redeemed; audience of our assertions.
    package var tokenURL: String
    /// Base of CAMARA Number Verification, such as `https://api.operator.example/number-verification/v2`.
    package var apiURL: String
    /// Our client ID at the operator.
    package var clientID: String
    /// The URL of our return hop, exactly as registered with the operator.
    package var redirectURI: String
    /// Address blocks of its subscribers.
    package var networks: [String] = []
    /// Networks, by MCC and MNC, whose tokens it accepts (GSMA TS.43). Empty: none.
    package var plmns: [String] = []
    /// Longest wait for one answer of the operator; 50 ms to 30 s.
    package var callTimeout: Duration = .seconds(3)
    /// Longest wait for all calls of one return hop; `callTimeout` to 30 s.
    package var identifyTimeout: Duration = .seconds(5)
    /// Consecutive failures after which the operator is not called for a while; 0: never, at most 1000.
    package var breakerFailures = 5
    /// How long the operator is not called; 1 s to 1 h.
    package var breakerPause: Duration = .seconds(30)

    package init(
        name: String, authorizeURL: String, tokenURL: String, apiURL: String, clientID: String, redirectURI: String,
        networks: [String] = [], plmns: [String] = []
    ) {
        self.name = name
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
        self.apiURL = apiURL
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.networks = networks
        self.plmns = plmns
    }

    /// One rule that a setting breaks.
    package struct Defect: Error, Sendable, Equatable, CustomStringConvertible {
        /// Such as `networks[2]`.
        package let field: String
        package let reason: String

        package var description: String { "\(field) \(reason)" }
    }

    /// The networks that can be parsed.
    package var parsedNetworks: [AddressRange] { networks.compactMap { try? AddressRange($0) } }
    /// The same for `plmns`.
    package var parsedPLMNs: [PLMN] { plmns.compactMap { PLMN($0) } }
}

extension OperatorSettings {
    /// All errors, in the order of the fields.
    package func defects() -> [Defect] {
        var defects: [Defect] = []
        func check(_ field: String, _ reason: String?) {
            if let reason { defects.append(Defect(field: field, reason: reason)) }
        }
        check("name", Self.nameDefect(name))
        check("authorizeURL", OutboundURL.defect(of: authorizeURL))
        check("tokenURL", OutboundURL.defect(of: tokenURL))
        check("apiURL", OutboundURL.defect(of: apiURL, isBase: true))
        check("clientID", Self.clientIDDefect(clientID))
        check("redirectURI", OutboundURL.defect(of: redirectURI))
        check("networks", networks.isEmpty ? "is empty: no device would be sent to this operator" : nil)
        for (index, text) in networks.enumerated() {
            do throws(AddressRange.Defect) { _ = try AddressRange(text) } catch {
                check("networks[\(index)]", error.reason)
            }
        }
        for (index, text) in plmns.enumerated() where PLMN(text) == nil {
            check("plmns[\(index)]", "must be MCC and MNC: five or six digits")
        }
        check("callTimeout", Self.rangeDefect(callTimeout, from: .milliseconds(50), to: .seconds(30)))
        check("identifyTimeout", Self.rangeDefect(identifyTimeout, from: callTimeout, to: .seconds(30)))
        check("breakerFailures", (0...1000).contains(breakerFailures) ? nil : "must be from 0 to 1000")
        check("breakerPause", Self.rangeDefect(breakerPause, from: .seconds(1), to: .seconds(3600)))
        return defects
    }

    /// All errors in a list of operators, fields as `[1].networks[0]`: those of each operator, and names and networks
    /// that two of them claim.
    package static func defects(of all: [OperatorSettings]) -> [Defect] {
        var defects: [Defect] = []
        var names: Set<String> = []
        var networks: Set<AddressRange> = []
        var plmns: Set<PLMN> = []
        for (index, settings) in all.enumerated() {
            defects += settings.defects().map { Defect(field: "[\(index)].\($0.field)", reason: $0.reason) }
            if !names.insert(settings.name).inserted {
                defects.append(Defect(field: "[\(index)].name", reason: "is there twice"))
            }
            for (position, text) in settings.networks.enumerated() {
                guard let network = try? AddressRange(text), !networks.insert(network).inserted else { continue }
                defects.append(Defect(field: "[\(index)].networks[\(position)]", reason: "is there twice"))
            }
            for (position, text) in settings.plmns.enumerated() {
                guard let plmn = PLMN(text), !plmns.insert(plmn).inserted else { continue }
                defects.append(Defect(field: "[\(index)].plmns[\(position)]", reason: "is there twice"))
            }
        }
        return defects
    }

    static func nameDefect(_ name: String) -> String? {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 97...122, UInt8(ascii: "-"): true
            default: false
            }
        }
        return isPlain && (1...32).contains(name.utf8.count) ? nil : "must be 1 to 32 of a-z, 0-9 and -"
    }

    static func clientIDDefect(_ id: String) -> String? {
        let isVisible = id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isVisible && (1...128).contains(id.utf8.count) ? nil : "must be 1 to 128 visible ASCII characters"
    }

    private static func rangeDefect(_ duration: Duration, from least: Duration, to most: Duration) -> String? {
        duration >= least && duration <= most ? nil : "must be from \(least) to \(most)"
    }
}
