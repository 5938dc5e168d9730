package import Text

/// What is counted, and for whom: the key of one `LimitTally`. A store keeps a keyed digest of it and nothing else.
package struct LimitKey: Sendable, Hashable {
    package enum Counter: String, Sendable, CaseIterable {
        case sendsToNumber, sendsFromAddress, sendsFromNetwork
        /// The different numbers of one block that messages went to.
        case numbersOfBlock
        case sendsToCountryInAnHour, sendsToCountryInADay
        /// What messages have cost: in all, of a tenant, to a country.
        case spend, spendOfTenant, spendOfCountry
        /// Messages to the numbers of a prefix, and their answers.
        case answersOfPrefix
        case startsFromAddress, startsFromNetwork
        case wrongCodes, refusedLinks, failedDeviceProofs, failedClaimsOfNumber, failedClaimsOfDeviceKey

        /// The limit that counts so.
        package var limit: LimitName {
            switch self {
            case .sendsToNumber: .sendsPerNumber
            case .sendsFromAddress: .sendsPerAddress
            case .sendsFromNetwork: .sendsPerNetwork
            case .numbersOfBlock: .sendsPerBlock
            case .sendsToCountryInAnHour, .sendsToCountryInADay: .sendsPerCountry
            case .spend: .budget
            case .spendOfTenant: .budgetPerTenant
            case .spendOfCountry: .budgetPerCountry
            case .answersOfPrefix: .prefixClosed
            case .startsFromAddress: .startsPerAddress
            case .startsFromNetwork: .startsPerNetwork
            case .wrongCodes: .wrongCodes
            case .refusedLinks: .refusedLinks
            case .failedDeviceProofs: .failedDeviceProofs
            case .failedClaimsOfNumber: .failedClaimsPerNumber
            case .failedClaimsOfDeviceKey: .failedClaimsPerDeviceKey
            }
        }

        /// How long an entry counts at most: the longest window of the counter.
        package var reach: Duration {
            switch self {
            case .numbersOfBlock, .startsFromAddress, .startsFromNetwork: .seconds(600)
            case .sendsToCountryInAnHour, .answersOfPrefix: .seconds(3600)
            default: .seconds(86_400)
            }
        }

        /// The counters that belong to a number, in the order operators are shown them.
        package static let ofNumber: [Counter] = [
            .sendsToNumber, .wrongCodes, .refusedLinks, .failedDeviceProofs, .failedClaimsOfNumber,
        ]
    }

    package let counter: Counter
    package let subject: [UInt8]

    package init(_ counter: Counter, _ subject: [UInt8]) {
        self.counter = counter
        self.subject = subject
    }

    package init(_ counter: Counter, _ number: PhoneNumber) {
        self.init(counter, Array(number.e164.utf8))
    }

    /// An e-mail address counts as a number does. No number has its form.
    package init(_ counter: Counter, _ target: Target) {
        self.init(counter, Array(target.canonical.utf8))
    }

    /// Under what a session counts that somebody without credentials starts.
    package static func starts(from address: IPAddress?, of tenant: ClientID) -> [LimitKey] {
        Self.address(address, of: tenant, .startsFromAddress, .startsFromNetwork)
    }

    /// A caller's address: IPv4 whole, IPv6 by its /64, and the /48 above it. Without a usable address all such callers
    /// of an API client count together, under the wider limit.
    static func address(
        _ address: IPAddress?, of tenant: ClientID, _ whole: Counter, _ network: Counter
    ) -> [LimitKey] {
        guard let address else { return [LimitKey(network, [0] + Array(tenant.text.utf8))] }
        guard !address.isIPv4 else { return [LimitKey(whole, address.bytes)] }
        return [LimitKey(whole, address.network64.bytes), LimitKey(network, address.network48.bytes)]
    }
}

extension PhoneNumber {
    /// The number without its last three digits: numbers that are often sold together (ABU-04).
    var block: [UInt8] { Array(e164.utf8.dropLast(3)) }

    /// The last three digits, as a number.
    var placeInBlock: Int { e164.utf8.suffix(3).reduce(0) { $0 * 10 + Int($1 &- 48) } }
}
