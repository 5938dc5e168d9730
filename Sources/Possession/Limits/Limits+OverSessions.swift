extension Limits {
    /// The limits over sessions, over all tenants unless said otherwise: how many in which time. They hold in live, and
    /// for developers on request (contract section 8). This is the one place where they are declared; `LimitKey.Counter`
    /// names what each counts.
    package struct OverSessions: Sendable, Equatable {
        /// Messages to a number (OTP-07, ABU-02).
        package var sendsPerQuarterHour = 5
        package var sendsPerDay = 10
        /// The least time between two messages to a number; twice that before the third of a quarter of an hour, four
        /// times before the fourth, and so on. 0: none. So of two at once one is refused (ABU-02).
        package var secondsBetweenSends = 30
        /// Messages for an end user's address (ABU-03). An IPv6 /48 may have five times as many as a /64: ours.
        package var sendsPerAddressPerTenMinutes = 10
        package var sendsPerAddressPerDay = 50
        package var networkFactor = 5
        /// Different numbers of a block in ten minutes, neighbours in a row, and how long the block then waits (ABU-04).
        package var numbersPerBlock = 20
        package var consecutiveNumbers = 5
        package var blockPause: Duration = .seconds(3600)
        /// Messages of one API client to one country; 0: no limit. Ours: far above what a shop sends, far below what
        /// a pumping attack needs.
        package var sendsPerCountryPerHour = 1_000
        package var sendsPerCountryPerDay = 10_000
        /// Sessions that an anonymous caller may start from an address; 0: no limit. Ours.
        package var startsPerAddressPerTenMinutes = 60
        /// Failures for a number (OTP-06). Links and device proofs as codes.
        package var wrongCodesPerHour = 10
        package var wrongCodesPerDay = 20
        /// Birth dates and SSNs that were not the record's, for a number and for a device key.
        package var failedClaimsPerHour = 5
        package var failedClaimsPerDay = 10
        /// Failures in a row after which a check stops until another one succeeds (OTP-06; NIST SP 800-63B 3.2.2).
        package var failuresInARow = 100

        /// What messages may cost, and who answers them.
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
            case .sendsFromAddress: pair(tenMinutes, sendsPerAddressPerTenMinutes, sendsPerAddressPerDay)
            case .sendsFromNetwork:
                pair(
                    tenMinutes, sendsPerAddressPerTenMinutes * networkFactor, sendsPerAddressPerDay * networkFactor)
            case .numbersOfBlock, .answersOfPrefix: []
            case .spend, .spendOfTenant, .spendOfCountry: [LimitWindow(day, most: spend.budget(counter))]
            case .sendsToCountryInAnHour: [LimitWindow(hour, most: sendsPerCountryPerHour)]
            case .sendsToCountryInADay: [LimitWindow(day, most: sendsPerCountryPerDay)]
            case .startsFromAddress: [LimitWindow(tenMinutes, most: startsPerAddressPerTenMinutes)]
            case .startsFromNetwork: [LimitWindow(tenMinutes, most: startsPerAddressPerTenMinutes * networkFactor)]
            case .wrongCodes, .refusedLinks, .failedDeviceProofs: pair(hour, wrongCodesPerHour, wrongCodesPerDay)
            case .failedClaimsOfNumber, .failedClaimsOfDeviceKey: pair(hour, failedClaimsPerHour, failedClaimsPerDay)
            }
        }

        /// Whether anything depends on what the counter has: one that is switched off need not be read.
        func reads(_ counter: LimitKey.Counter) -> Bool {
            switch counter {
            case .numbersOfBlock: numbersPerBlock > 0
            // Their rules stand in `SpendGuard`, and take nothing for granted that was not read.
            case .spend, .spendOfTenant, .spendOfCountry, .answersOfPrefix: spend.mode != .off
            case .sendsToNumber, .sendsFromAddress, .sendsFromNetwork, .sendsToCountryInAnHour, .sendsToCountryInADay,
                .startsFromAddress, .startsFromNetwork:
                most(of: counter) > 0
            // Their failures in a row count as well.
            case .wrongCodes, .refusedLinks, .failedDeviceProofs, .failedClaimsOfNumber, .failedClaimsOfDeviceKey: true
            }
        }

        /// The most that any window of the counter counts; 0: it has no limit.
        func most(of counter: LimitKey.Counter) -> Int { windows(of: counter).map(\.most).max() ?? 0 }
    }
}
