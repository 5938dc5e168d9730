package import Text

extension Limits {
    /// The limits over sessions, each for one API client (docs/limits.md): how many in which time. They hold in live, and
    /// for developers on request (contract section 8). This is the one place where they are declared; `LimitKey.Counter`
    /// names what each counts.
    package struct OverSessions: Sendable, Equatable {
        /// Messages to a number (OTP-07, ABU-02).
        package var sendsPerQuarterHour = 5
        package var sendsPerDay = 10
        /// The least time between two messages to a number; twice that before the third of a quarter of an hour, four
        /// times before the fourth, and so on. 0: none. So of two at once one is refused (ABU-02).
        package var secondsBetweenSends = 30
        /// Messages to a number that nobody answers, from one network in 24 hours: who asks for them from elsewhere can shut
        /// out nobody alone.
        package var unansweredPerNumber = 5
        /// Messages that may go unanswered, by who asks and where they go.
        package var sizes = BucketSizes()
        /// Networks whose people an operator trusts not to pump.
        package var knownNetworks = AddressRanges()
        /// An IPv6 /48 may have so many times as much as a /64: ours.
        package var networkFactor = 5
        /// Sessions that an anonymous caller may start from an address; 0: no limit. Ours.
        package var startsPerAddressPerTenMinutes = 60
        /// Sessions by the same identification from one network; 0: no limit.
        package var startsPerPersonPerDay = 5
        /// Failures for a number (OTP-06). Links and device proofs as codes.
        package var wrongCodesPerHour = 10
        package var wrongCodesPerDay = 20
        /// A code of eight digits bears so many times as many wrong ones a day as others. Ours.
        static let longCodeFactor = 60
        /// The share of all failures in a row that strangers may cause, in percent: the rest is for networks that have proven
        /// the number, whom no stranger shuts out.
        static let strangersPercent = 60
        /// Birth dates and SSNs that were not the record's, for a number and for a device key.
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
            // Their rules stand in `MessageAccount`.
            case .address, .network, .site, .knownInNetwork, .networkInPrefix, .siteInPrefix, .prefix, .country,
                .proofs:
                []
            // Theirs in `SpendGuard`.
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

        /// Whether anything depends on what the counter has: one that is switched off need not be read.
        func reads(_ counter: LimitKey.Counter) -> Bool {
            switch counter {
            // Their rules take nothing for granted that was not read.
            case .address, .network, .site, .knownInNetwork, .networkInPrefix, .siteInPrefix, .prefix, .country,
                .proofs:
                true
            case .spendOfTenant, .spendInCommon, .spendOfCountry, .spendOfNetwork: spend.mode != .off && spend.hasBudget
            case .sendsToNumber, .startsFromAddress, .startsFromNetwork, .startsOfPerson, .wrongCodesOfNetwork,
                .wrongLongCodes, .questionsAboutNumber:
                most(of: counter) > 0
            // Their failures in a row count as well.
            case .wrongCodes, .wrongCodesOfOwner, .refusedLinks, .failedDeviceProofs, .failedClaimsOfNumber,
                .failedClaimsOfDeviceKey, .quota:
                true
            }
        }

        /// Failures in a row that are a full stop of a check (NIST SP 800-63B 3.2.2: at most 100 of all together).
        package func mostInARow(of counter: LimitKey.Counter) -> Int {
            let strangers = max(1, failuresInARow * Self.strangersPercent / 100)
            return switch counter {
            case .wrongCodes: strangers
            case .wrongCodesOfOwner: max(1, failuresInARow - strangers)
            default: failuresInARow
            }
        }

        /// The most that any window of the counter counts; 0: it has no limit.
        func most(of counter: LimitKey.Counter) -> Int { windows(of: counter).map(\.most).max() ?? 0 }
    }
}
