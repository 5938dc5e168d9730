package import Text

/// Key of one `LimitTally`: what is counted, and for whom. A store keeps a keyed digest of it and nothing else.
package struct LimitKey: Sendable, Hashable {
    package enum Counter: String, Sendable, CaseIterable {
        case sendsToNumber
        /// Messages that may go unanswered: of an address, of its network, and of its IPv6 /32.
        case address, network, site
        /// Extra messages of a network to people who have proven their numbers, when its own budget is used up.
        case knownInNetwork
        /// Numbers of one prefix to which a network, or an IPv6 /32, has requested messages and which have not
        /// answered.
        case networkInPrefix, siteInPrefix
        /// Messages to a prefix, and to a country, that may go unanswered.
        case prefix, country
        /// The networks that have proven a number.
        case proofs
        /// Cost of messages: of a tenant, of the half that all tenants share, of a country, of an unknown network.
        case spendOfTenant, spendInCommon, spendOfCountry, spendOfNetwork
        case startsFromAddress, startsFromNetwork
        /// Sessions that one network has started by the same identification.
        case startsOfPerson
        case wrongCodes, refusedLinks, failedDeviceProofs, failedClaimsOfNumber, failedClaimsOfDeviceKey
        case questionsAboutNumber
        /// Wrong codes, by the network that sent the code or requested the message: of any such network, and of the
        /// networks that have proven the number.
        case wrongCodesOfNetwork, wrongCodesOfOwner
        /// Wrong codes of sessions whose codes are long (`Session.hasLongCode`).
        case wrongLongCodes
        /// Messages under a limit that a tenant has set on its own calls (`Quota`).
        case quota

        /// The limit that this counter belongs to.
        package var limit: LimitName {
            switch self {
            case .sendsToNumber: .sendsPerNumber
            case .address: .sendsPerAddress
            case .network, .site, .knownInNetwork: .sendsPerNetwork
            case .networkInPrefix, .siteInPrefix: .sendsPerNetworkInPrefix
            case .prefix, .proofs: .prefixClosed
            case .country: .sendsPerCountry
            case .spendInCommon: .budget
            case .spendOfTenant, .spendOfNetwork: .budgetPerTenant
            case .spendOfCountry: .budgetPerCountry
            case .startsFromAddress: .startsPerAddress
            case .startsFromNetwork: .startsPerNetwork
            case .startsOfPerson: .startsPerPerson
            case .wrongCodes, .wrongCodesOfNetwork, .wrongCodesOfOwner, .wrongLongCodes: .wrongCodes
            case .refusedLinks: .refusedLinks
            case .failedDeviceProofs: .failedDeviceProofs
            case .failedClaimsOfNumber: .failedClaimsPerNumber
            case .failedClaimsOfDeviceKey: .failedClaimsPerDeviceKey
            case .questionsAboutNumber: .questionsPerNumber
            case .quota: .quota
            }
        }

        /// How long an entry counts at most: the longest window of the counter.
        package var reach: Duration {
            switch self {
            case .startsFromAddress, .startsFromNetwork: .seconds(600)
            case .networkInPrefix, .siteInPrefix: .seconds(7 * 86_400)
            case .network: .seconds(28 * 86_400)
            case .proofs: .seconds(90 * 86_400)
            default: .seconds(86_400)
            }
        }

        /// The counters that belong to a number, in the order in which operators see them.
        package static let ofNumber: [Counter] = [
            .sendsToNumber, .wrongCodes, .wrongCodesOfOwner, .wrongLongCodes, .refusedLinks, .failedDeviceProofs,
            .failedClaimsOfNumber,
            .proofs,
        ]
    }

    package let counter: Counter
    package let subject: [UInt8]

    package init(_ counter: Counter, _ subject: [UInt8]) {
        self.counter = counter
        self.subject = subject
    }

    /// A key of one tenant: other tenants' calls never count under it.
    package init(_ counter: Counter, of tenant: ClientID, _ subject: [UInt8] = []) {
        self.init(counter, of: tenant, bytes: subject)
    }

    /// A message makes about twenty keys, so each is built with one allocation.
    private init(_ counter: Counter, of tenant: ClientID, bytes: some Collection<UInt8>) {
        let name = tenant.text.utf8
        var subject: [UInt8] = []
        subject.reserveCapacity(name.count + 1 + bytes.count)
        subject.append(contentsOf: name)
        subject.append(0)
        subject.append(contentsOf: bytes)
        self.init(counter, subject)
    }

    /// A number or an e-mail address; no number looks like an address. Addresses that differ only in their tag share
    /// all counters except `proofs`: what one of them has proven, the others have not.
    package init(_ counter: Counter, _ target: Target, of tenant: ClientID) {
        self.init(counter, of: tenant, bytes: (counter == .proofs ? target.canonical : target.counted).utf8)
    }

    package init(_ counter: Counter, _ number: PhoneNumber, of tenant: ClientID) {
        self.init(counter, .number(number), of: tenant)
    }

    /// The subject of a tenant's key without the tenant. The whole subject of any other key.
    package var ownSubject: [UInt8] {
        guard let end = subject.firstIndex(of: 0) else { return subject }
        return Array(subject[(end + 1)...])
    }

    /// Tenant that the key belongs to; `nil`: all tenants share it.
    package var tenant: ClientID? {
        subject.firstIndex(of: 0).flatMap { ClientID(String(decoding: subject[..<$0], as: UTF8.self)) }
    }

    /// The key counts the messages for which a backend names no address.
    package var isOfUnnamed: Bool { counter == .network && subject.firstIndex(of: 0) == subject.count - 1 }

    /// The prefix of a number: all but its last four digits.
    static func prefix(of number: PhoneNumber) -> [UInt8] { Array(number.e164.utf8.dropLast(4)) }

    /// The keys that count a session started without credentials: the address (IPv4 whole, IPv6 by its /64) and, for
    /// IPv6, the /48 above it. All such callers of an API client without a usable address count together, under the
    /// wider limit.
    package static func starts(from address: IPAddress?, of tenant: ClientID) -> [LimitKey] {
        guard let address else { return [LimitKey(.startsFromNetwork, of: tenant)] }
        let whole = LimitKey(.startsFromAddress, of: tenant, address.network64.bytes)
        return address.isIPv4 ? [whole] : [whole, LimitKey(.startsFromNetwork, of: tenant, address.network48.bytes)]
    }

    /// The key that counts a session started by an identification. It counts by network: a stranger who knows the
    /// identification cannot use up the starts that the person has in other networks.
    package static func starts(
        by identification: UnknownPerson, from address: IPAddress?, of tenant: ClientID
    ) -> LimitKey {
        LimitKey(
            .startsOfPerson, of: tenant, identification.digest + (MessageSource(address).network?.bytes ?? []))
    }
}

extension PhoneNumber {
    /// The last four digits, as a number.
    var placeInPrefix: Int { e164.utf8.suffix(4).reduce(0) { $0 * 10 + Int($1 &- 48) } }
}
