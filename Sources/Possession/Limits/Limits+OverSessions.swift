package import Text

extension Limits {
    /// The limits over sessions, each for one API client (docs/limits.md): how many in which time. They are enforced in
    /// live mode, and for developers on request (contract section 8). They are declared only here; `LimitKey.Counter`
    /// says what each counts.
    package struct OverSessions: Sendable, Equatable {
        /// Messages to a number (OTP-07, ABU-02).
        package var sendsPerQuarterHour = 5
        package var sendsPerDay = 10
        /// Minimum time between two messages to a number. It doubles with each further message in a quarter of an hour:
        /// twice as long before the third, four times before the fourth. 0: no minimum. Of two simultaneous requests
        /// one is refused (ABU-02).
        package var secondsBetweenSends = 30
        /// Unanswered messages to a number that one network may request in 24 hours. So a stranger in one network
        /// cannot use up the number's messages for callers in other networks.
        package var unansweredPerNumber = 5
        /// Messages that may go unanswered, by caller and destination.
        package var sizes = BucketSizes()
        /// Networks that the operator trusts not to pump SMS traffic.
        package var knownNetworks = AddressRanges()
        /// An IPv6 /48 may have this many times the limit of a /64. Ours.
        package var networkFactor = 5
        /// Sessions that an anonymous caller may start from an address; 0: no limit. Ours.
        package var startsPerAddressPerTenMinutes = 60
        /// Sessions by the same identification from one network; 0: no limit.
        package var startsPerPersonPerDay = 5
        /// Failures for a number (OTP-06). Refused links and device proofs have the same limits as codes.
        package var wrongCodesPerHour = 10
        package var wrongCodesPerDay = 20
        /// Codes of eight digits allow this many times more wrong codes a day. Ours.
        static let longCodeFactor = 60
        /// Percentage of the failures in a row that strangers may cause. The rest is for networks that have proven the
        /// number, so that strangers cannot stop their checks.
        static let strangersPercent = 60
        /// Wrong birth dates and SSNs, for a number and for a device key.
        package var failedClaimsPerHour = 5
        package var failedClaimsPerDay = 10
        /// Questions of an API client about the SIM of a number. Ours.
        static let questionsPerHour = 20
        static let questionsPerDay = 100
        /// Failures in a row after which a check stops until another one succeeds (OTP-06; NIST SP 800-63B 3.2.2).
        package var failuresInARow = 100

        /// Limits on the cost of messages, and each client's share of it.
        package var spend = SpendGuard()

        package init() {}

        /// The shorter window of messages to a number.
        var quarterHour: Duration { .seconds(900) }

        /// The windows of a counter.
        package func windows(of counter: LimitKey.Counter) -> [LimitWindow] {
            let (tenMinutes, hour, day) = (Duration.seconds(600), Duration.seconds(3600), Duration.seconds(86_400))
            func pair(_ short: Duration, _ most: Int, _ mostInADay: Int) -> [LimitWindow] {
                [LimitWindow(short, most: most), LimitWindow(day, most: mostInADay)]
            }
            return switch counter {
            case .sendsToNumber: pair(quarterHour, sendsPerQuarterHour, sendsPerDay)
            // `MessageAccount` has their rules.
            case .address, .network, .site, .knownInNetwork, .networkInPrefix, .siteInPrefix, .prefix, .country,
                .proofs:
                []
            // `SpendGuard` has theirs.
            case .spendOfTenant, .spendInCommon, .spendOfCountry, .spendOfNetwork: []
            // Each `Quota` has windows of its own.
            case .quota: []
            case .startsFromAddress: [LimitWindow(tenMinutes, most: startsPerAddressPerTenMinutes)]
            case .startsFromNetwork: [LimitWindow(tenMinutes, most: startsPerAddressPerTenMinutes * networkFactor)]
            case .startsOfPerson: [LimitWindow(day, most: startsPerPersonPerDay)]
            case .wrongLongCodes: [LimitWindow(day, most: wrongCodesPerDay * Self.longCodeFactor)]
            case .wrongCodesOfNetwork: pair(hour, max(1, wrongCodesPerHour / 2), wrongCodesPerDay)
            case .wrongCodes, .wrongCodesOfOwner, .refusedLinks, .failedDeviceProofs:
                pair(hour, wrongCodesPerHour, wrongCodesPerDay)
            case .failedClaimsOfNumber, .failedClaimsOfDeviceKey: pair(hour, failedClaimsPerHour, failedClaimsPerDay)
            case .questionsAboutNumber: pair(hour, Self.questionsPerHour, Self.questionsPerDay)
            }
        }

        /// Whether any limit uses the counter. A counter without limits is not read.
        package func reads(_ counter: LimitKey.Counter) -> Bool {
            switch counter {
            // Their rules refuse if the counter was not read.
            case .address, .network, .site, .knownInNetwork, .networkInPrefix, .siteInPrefix, .prefix, .country,
                .proofs:
                true
            case .spendOfTenant, .spendInCommon, .spendOfCountry, .spendOfNetwork: spend.mode != .off && spend.hasBudget
            case .sendsToNumber, .startsFromAddress, .startsFromNetwork, .startsOfPerson, .wrongCodesOfNetwork,
                .wrongLongCodes, .questionsAboutNumber:
                most(of: counter) > 0
            // The limit of failures in a row also needs them.
            case .wrongCodes, .wrongCodesOfOwner, .refusedLinks, .failedDeviceProofs, .failedClaimsOfNumber,
                .failedClaimsOfDeviceKey, .quota:
                true
            }
        }

        /// Failures in a row that stop a check (NIST SP 800-63B 3.2.2: at most 100 of all together).
        package func mostInARow(of counter: LimitKey.Counter) -> Int {
            let strangers = max(1, failuresInARow * Self.strangersPercent / 100)
            return switch counter {
            case .wrongCodes: strangers
            case .wrongCodesOfOwner: max(1, failuresInARow - strangers)
            default: failuresInARow
            }
        }

        /// The highest limit among the windows of the counter; 0: it has no limit.
        func most(of counter: LimitKey.Counter) -> Int { windows(of: counter).map(\.most).max() ?? 0 }
    }
}
