package import Engine
package import Possession
package import Text

/// An operator that is not called for a while when it keeps failing.
package protocol BreakableOperator: MobileOperator {
    /// False while its circuit is open: a call would be refused.
    var isAvailable: Bool { get }
}

/// Finds the operator for an address: by the networks that each announced, or one operator for all.
package struct OperatorDirectory: MobileOperators {
    private enum Reach: Sendable {
        case everywhere(any BreakableOperator)
        case networks(NetworkTable<any BreakableOperator>)
    }

    /// An operator, the networks its devices use, and the networks whose tokens it accepts.
    package struct Entry: Sendable {
        let `operator`: any BreakableOperator
        let networks: [AddressRange]
        let plmns: [PLMN]

        package init(_ operator: any BreakableOperator, networks: [AddressRange], plmns: [PLMN] = []) {
            self.operator = `operator`
            self.networks = networks
            self.plmns = plmns
        }
    }

    private let reach: Reach
    private let byPLMN: [PLMN: any BreakableOperator]
    private let byName: [String: any BreakableOperator]

    /// For the sandbox: one simulated operator serves every address, including loopback and the local socket.
    /// - Parameter plmns: networks whose tokens it accepts.
    package init(everywhere operator: any BreakableOperator, plmns: [PLMN] = []) {
        reach = .everywhere(`operator`)
        byPLMN = Dictionary(plmns.map { ($0, `operator`) }, uniquingKeysWith: { first, _ in first })
        byName = [`operator`.name: `operator`]
    }

    /// `OperatorSettings.defects(of:)` has checked that no name and no network is listed twice; otherwise the first
    /// counts.
    package init(_ operators: [Entry]) {
        reach = .networks(
            NetworkTable(operators.flatMap { entry in entry.networks.map { ($0, entry.operator) } }))
        byPLMN = Dictionary(
            operators.flatMap { entry in entry.plmns.map { ($0, entry.operator) } },
            uniquingKeysWith: { first, _ in first })
        byName = Dictionary(
            operators.map { ($0.operator.name, $0.operator) }, uniquingKeysWith: { first, _ in first })
    }

    package func serving(address: IPAddress?) -> (any MobileOperator)? {
        let found: (any BreakableOperator)?
        switch reach {
        case .everywhere(let one): found = one
        case .networks(let table): found = address.flatMap { table[$0] }
        }
        guard let found, found.isAvailable else { return nil }
        return found
    }

    package func takingTokens(of network: PLMN) -> (any MobileOperator)? { byPLMN[network] }

    package var onlyOneTakingTokens: (any MobileOperator)? {
        guard let first = byPLMN.values.first, byPLMN.values.allSatisfy({ $0.name.isSame(as: first.name) }) else {
            return nil
        }
        return first
    }

    package func named(_ name: String) -> (any MobileOperator)? {
        byName[name]
    }
}
