/// What messages may cost, and when the numbers with one beginning get no more of them because nobody answers
/// (ABU-05, ABU-07).
///
/// Somebody who earns from messages to numbers of their own asks for codes and never types them. Such numbers share
/// all but their last four digits, the *prefix*: it is closed when too few of its messages are answered. After that time
/// one message may try again; if it is not answered either, the prefix is closed for twice as long.
package struct SpendGuard: Sendable, Equatable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Nothing is counted.
        case off
        /// Counted and told, and nothing is refused.
        case watch
        case block
    }

    /// Prices and budgets are counted in ten-thousandths of the currency.
    package static let unit = 10_000

    package var mode = Mode.block
    /// Of one message, by country (`NumberDirectory.country`), in units.
    package var prices: [String: Int] = [:]
    /// The price of one e-mail; `nil`: the standard price.
    package var emailPrice: Int?
    /// Of a message to a country that has no price. Without any prices a message counts as one of the currency: budgets
    /// then count messages.
    package var standardPrice = unit
    /// Whether prices are of one part of a message, so that each of its parts costs as much. Without prices, budgets count
    /// messages whatever they say.
    package var countsParts = false
    /// In units, for 24 hours; 0: no budget.
    package var perDay = 0
    package var perTenantPerDay = 0
    package var perCountryPerDay = 0
    /// So many messages in an hour, of which fewer than this share was answered, close a prefix.
    package var leastMessages = 20
    package var leastPercent = 20
    /// How long a person may take to answer the one message that tries a prefix again.
    package var answerTime: Duration = .seconds(180)
    /// How long it is closed the first time, and at most.
    package var pause: Duration = .seconds(3600)
    package var longestPause: Duration = .seconds(12 * 3600)

    package init() {}

    /// Units as people read them: `4`, `0.0125`.
    package static func text(ofUnits units: Int) -> String {
        guard units % unit != 0 else { return String(units / unit) }
        var fraction = Array(String(units % unit + unit).utf8.dropFirst())
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return String(units / unit) + "." + String(decoding: fraction, as: UTF8.self)
    }

    /// What a message to a country costs, in units.
    /// - Parameter parts: as how many messages it is billed.
    /// - Parameter country: `nil`: to an e-mail address.
    package func price(of country: String?, parts: Int = 1) -> Int {
        let own = if let country { prices[country] } else { emailPrice }
        return (own ?? standardPrice) * (countsParts ? parts : 1)
    }

    func budget(_ counter: LimitKey.Counter) -> Int {
        switch counter {
        case .spend: perDay
        case .spendOfTenant: perTenantPerDay
        case .spendOfCountry: perCountryPerDay
        default: 0
        }
    }
}

/// A prefix that was closed.
package struct ClosedPrefix: Sendable, Equatable {
    /// `+1206555`
    package let prefix: String
    package let until: Timestamp
    /// How often in a row, without an answer between.
    package let times: Int

    package init(prefix: String, until: Timestamp, times: Int) {
        self.prefix = prefix
        self.until = until
        self.times = times
    }
}

extension LimitKey {
    /// What a message is counted under besides: its cost and, of a number, whether its prefix answers.
    /// - Parameter country: `nil`: to an e-mail address.
    static func guarded(_ target: Target, _ tenant: ClientID, _ country: String?) -> [LimitKey] {
        let cost = [LimitKey(.spend, []), LimitKey(.spendOfTenant, Array(tenant.text.utf8))]
        guard let number = target.number, let country else { return cost }
        return cost + [LimitKey(.spendOfCountry, Array(country.utf8)), LimitKey(prefixOf: number)]
    }

    /// The prefix of a number: all but its last four digits.
    package init(prefixOf number: PhoneNumber) { self.init(.answersOfPrefix, Array(number.e164.utf8.dropLast(4))) }

    /// - Parameter text: `+` and 1 to 11 digits.
    package init?(prefix text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (1...11).contains(digits.count),
            digits.allSatisfy({ $0 >= 48 && $0 <= 57 })
        else { return nil }
        self.init(.answersOfPrefix, Array(text.utf8))
    }
}

extension LimitTallies {
    /// A prefix that a rule closed: for the log and the figures, once the change is durable.
    package struct Closing: Sendable, Equatable {
        package let prefix: String
        package let messages: Int
        package let answers: Int
        package let until: Timestamp
        package let at: Timestamp
        /// `false`: it was told, and messages go on.
        package let isEnforced: Bool
    }

    /// A prefix that is trusted again, because somebody answered the message that tried it.
    package struct Opening: Sendable {
        package let prefix: String
        package let at: Timestamp
    }

    /// What a budget has come to. Each is told once a day.
    package struct BudgetNote: Sendable {
        /// As the mark of it stands among the entries of the budget.
        package enum Level: Int, Sendable {
            /// Four fifths are spent.
            case near = 1
            /// A message did not fit.
            case spent
        }

        package let level: Level
        package let key: LimitKey
        /// In units.
        package let used: Int
        package let limit: Int
        package let at: Timestamp
        /// `false`: messages go on all the same.
        package let isEnforced: Bool
    }

    private static let hour = Duration.seconds(3600)

    /// Why a message may not be paid for; in `watch` it may all the same, and the reason is noted.
    /// - Parameter isAnswerKnown: as in `countSpend`. A message without one is no trial of a closed prefix.
    mutating func checkSpend(
        _ target: Target, _ tenant: ClientID, _ country: String?, parts: Int, isAnswerKnown: Bool,
        by spend: SpendGuard, at now: Timestamp
    ) throws(LimitHit) {
        guard spend.mode != .off else { return }
        let price = spend.price(of: country, parts: parts)
        do throws(LimitHit) {
            for key in LimitKey.guarded(target, tenant, country) {
                guard let tally = self[key] else { throw LimitHit(key.counter.limit, retryAfterSeconds: 1) }
                if key.counter == .answersOfPrefix {
                    if isAnswerKnown {
                        try checkPrefix(key, tally, by: spend, at: now)
                    } else if let end = tally.stoppedUntil, now < end {
                        throw LimitHit(.prefixClosed, until: end, at: now)
                    }
                } else {
                    let window = LimitWindow(key.counter.reach, most: spend.budget(key.counter))
                    if let end = tally.isFull(window, adding: price, at: now) {
                        tell(.spent, key, by: spend, at: now)
                        throw LimitHit(key.counter.limit, until: end, at: now)
                    }
                }
            }
        } catch {
            guard spend.mode == .watch else { throw error }
            note(error.limit, target.number)
        }
    }

    private mutating func checkPrefix(
        _ key: LimitKey, _ tally: LimitTally, by spend: SpendGuard, at now: Timestamp
    ) throws(LimitHit) {
        if let end = tally.stoppedUntil, now < end { throw LimitHit(.prefixClosed, until: end, at: now) }
        let hourAgo = now.adding(.zero - Self.hour)
        if tally.failuresInARow > 0, let opened = tally.stoppedUntil {
            // On trial: one message, and time to answer it.
            let trial = tally.entries.last { $0.tag == LimitTally.Kind.message.rawValue && $0.at >= opened }
            guard let trial else { return }
            let end = trial.at.adding(spend.answerTime)
            guard now >= end else { throw LimitHit(.prefixClosed, until: end, at: now) }
            throw closed(key, tally, messages: 1, answers: 0, by: spend, at: now)
        }
        let messages = tally.count(of: .message, since: hourAgo)
        let answers = tally.count(of: .answer, since: hourAgo)
        guard messages >= spend.leastMessages, answers * 100 < messages * spend.leastPercent else { return }
        throw closed(key, tally, messages: messages, answers: answers, by: spend, at: now)
    }

    /// Closes a prefix; why its message is not sent.
    private mutating func closed(
        _ key: LimitKey, _ tally: LimitTally, messages: Int, answers: Int, by spend: SpendGuard, at now: Timestamp
    ) -> LimitHit {
        let doublings = min(tally.failuresInARow, 16)
        let pause = min(spend.pause * (1 << doublings), spend.longestPause)
        let end = now.adding(pause)
        change(key) { $0.close(until: end, at: now) }
        closings.append(
            Closing(
                prefix: String(decoding: key.subject, as: UTF8.self), messages: messages, answers: answers, until: end,
                at: now, isEnforced: spend.mode == .block))
        return LimitHit(.prefixClosed, until: end, at: now)
    }

    /// Counts a message that may go out.
    /// - Parameter isAnswerKnown: whether this server learns that the person answers it. Without that it costs as much, and
    ///   does not count among the messages that a prefix should answer.
    mutating func countSpend(
        _ target: Target, _ tenant: ClientID, _ country: String?, parts: Int, isAnswerKnown: Bool,
        by spend: SpendGuard, at now: Timestamp
    ) {
        guard spend.mode != .off else { return }
        let price = spend.price(of: country, parts: parts)
        for key in LimitKey.guarded(target, tenant, country) {
            if key.counter == .answersOfPrefix {
                guard isAnswerKnown else { continue }
                change(key) { $0.countSlice(.message, at: now, reach: key.counter.reach) }
            } else {
                let most = spend.budget(key.counter)
                guard most > 0 else { continue }
                change(key) {
                    $0.count(at: now, amount: price, most: most, reach: key.counter.reach)
                }
                if let tally = self[key], tally.counted(within: key.counter.reach, at: now) >= most - most / 5 {
                    tell(.near, key, by: spend, at: now)
                }
            }
        }
    }

    /// Notes what a budget has come to, unless that was noted in the last 24 hours. The mark is an entry that counts
    /// nothing, so it leaves the tally as what was spent does.
    private mutating func tell(
        _ level: BudgetNote.Level, _ key: LimitKey, by spend: SpendGuard, at now: Timestamp
    ) {
        let reach = key.counter.reach
        guard let tally = self[key], !tally.tags(at: now, reach: reach).contains(level.rawValue) else { return }
        change(key) {
            $0.add(LimitTally.Entry(at: now, count: 0, tag: level.rawValue), now: now, reach: reach, joins: false)
        }
        budgets.append(
            BudgetNote(
                level: level, key: key, used: tally.counted(within: reach, at: now), limit: spend.budget(key.counter),
                at: now, isEnforced: spend.mode == .block))
    }

    /// Closes a prefix because an operator says so; one that is closed for longer stays so.
    package mutating func close(_ key: LimitKey, until end: Timestamp, at now: Timestamp) {
        let stop = self[key]?.stoppedUntil ?? end
        change(key) { $0.close(until: max(end, stop), at: now) }
    }

    /// Counts that a person answered a message. A prefix that was on trial is trusted again, and what it had not answered
    /// before is forgotten. While it is closed an answer opens nothing: it belongs to a message from before.
    mutating func countAnswer(_ number: PhoneNumber, by spend: SpendGuard, at now: Timestamp) {
        let key = LimitKey(prefixOf: number)
        // Only where it was read: a number of the sandbox counts under no prefix.
        guard spend.mode != .off, let tally = self[key] else { return }
        let isClosed = tally.stoppedUntil.map { now < $0 } ?? false
        let isTrusted = !isClosed && tally.failuresInARow > 0
        if isTrusted { openings.append(Opening(prefix: String(decoding: key.subject, as: UTF8.self), at: now)) }
        change(key) {
            if isTrusted { $0.reopen() }
            $0.countSlice(.answer, at: now, reach: key.counter.reach)
        }
    }

    /// Takes back a message that no carrier took: nobody could answer it.
    mutating func takeBackMessage(_ number: PhoneNumber) {
        let key = LimitKey(prefixOf: number)
        guard self[key] != nil else { return }
        change(key) { $0.takeBack(.message) }
    }
}

extension LimitTally {
    /// What an entry of a prefix counts.
    enum Kind: Int { case message, answer }

    private static let sliceLength: Int64 = 30_000

    /// All that was counted in a time.
    package func counted(within window: Duration, at now: Timestamp) -> Int {
        entries.reduce(0) { now < $1.at.adding(window) ? $0 + $1.count : $0 }
    }

    func count(of kind: Kind, since: Timestamp) -> Int {
        entries.reduce(0) { $1.tag == kind.rawValue && $1.at >= since ? $0 + $1.count : $0 }
    }

    /// Counts by slices of half a minute, so that a busy prefix takes no more room than a quiet one.
    mutating func countSlice(_ kind: Kind, at now: Timestamp, reach: Duration) {
        let end = Timestamp(milliseconds: (now.milliseconds / Self.sliceLength + 1) * Self.sliceLength)
        add(Entry(at: end, tag: kind.rawValue), now: now, reach: reach)
    }

    /// Counts one less of the newest.
    mutating func takeBack(_ kind: Kind) {
        removeOne { $0.tag == kind.rawValue }
    }

    /// Forgets the messages, and that there were closings.
    mutating func reopen() {
        endRun()
        removeAll { $0.tag == Kind.message.rawValue }
    }

    /// Closes for a time; one closing more in a row.
    mutating func close(until end: Timestamp, at now: Timestamp) {
        stop(until: end)
        countRun(at: now)
    }
}
