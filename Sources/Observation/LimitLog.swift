package import CoreMetrics
internal import Locks
package import Logging
package import Possession

/// Counts every call that a limit refused, by the limit's name, and logs it with the masked number (ABU-12).
///
/// The counter is exact. Lines are limited to ten a second for each limit; one more line reports how many were left
/// out.
package final class LimitLog: Sendable {
    static let counter = "holdfast_limit_hits_total"
    static let closings = "holdfast_prefixes_closed_total"
    static let unnamed = "holdfast_messages_without_address_total"
    package static let families = [
        MetricsRegistry.Family(counter, help: "Calls that a limit refused, by limit."),
        MetricsRegistry.Family(
            closings, help: "Prefixes and countries that became scarce at an API client, because few people answered."),
        MetricsRegistry.Family(
            unnamed, help: "Messages whose backend named no address of the person, by API client."),
    ]
    private static let linesASecond = 10
    /// API clients that are counted by name; all others are counted together.
    static let mostClients = 100
    static let otherClients = "(others)"

    private struct Window {
        var start: ContinuousClock.Instant
        var lines = 0
        var left = 0
    }

    private let counters: [LimitName: any CounterHandler]
    private let closed: any CounterHandler
    private let logger: Logger
    private let factory: any MetricsFactory
    private let withoutAddress = Locked<[ClientID: any CounterHandler]>([:])
    private let windows = Locked<[LimitName: Window]>([:])
    private let clock: @Sendable () -> ContinuousClock.Instant

    package init(
        _ factory: any MetricsFactory, _ logger: Logger,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        // All counters exist from the start, so that a limit that was never reached reads 0.
        counters = Dictionary(
            uniqueKeysWithValues: LimitName.allCases.map {
                ($0, factory.makeCounter(label: Self.counter, dimensions: [("limit", $0.rawValue)]))
            })
        closed = factory.makeCounter(label: Self.closings, dimensions: [])
        self.factory = factory
        self.logger = logger
        self.clock = clock
    }

    /// - Parameter number: logged as country code and last two digits.
    @Sendable package func note(_ limit: LimitName, _ number: PhoneNumber?) {
        counters[limit]?.increment(by: 1)
        let now = clock()
        let (isLogged, left) = windows.withLock { windows -> (Bool, Int) in
            var window = windows[limit] ?? Window(start: now)
            var left = 0
            if now - window.start >= .seconds(1) {
                left = window.left
                window = Window(start: now)
            }
            let isLogged = window.lines < Self.linesASecond
            if isLogged { window.lines += 1 } else { window.left += 1 }
            windows[limit] = window
            return (isLogged, left)
        }
        guard isLogged else { return }
        var metadata: Logger.Metadata = ["limit": "\(limit.rawValue)"]
        if let number { metadata["number"] = "\(number)" }
        if left > 0 { metadata["notLogged"] = "\(left)" }
        logger.notice("a limit refused a call", metadata: metadata)
    }

    /// A prefix is not a person's number, so it is logged unmasked and the operator can act on it.
    @Sendable package func note(closed place: LimitTallies.PlaceNews) {
        closed.increment(by: 1)
        logger.warning(
            """
            too few people answer an API client's messages there: they go to people whom it knows, and from networks that it \
            knows. `holdfast guard show` tells the rest
            """,
            metadata: Self.metadata(place))
    }

    @Sendable package func note(opened place: LimitTallies.PlaceNews) {
        logger.notice("an API client's messages go there as before", metadata: Self.metadata(place))
    }

    /// Counts it. The first one of each API client is logged, because no setting shows it.
    @Sendable package func note(sentWithoutAddress client: ClientID) {
        let isFirst = withoutAddress.withLock { counters -> Bool in
            if let counter = counters[client] {
                counter.increment(by: 1)
                return false
            }
            let isNamed = counters.count < Self.mostClients
            let label = isNamed ? client.text : Self.otherClients
            let counter = factory.makeCounter(label: Self.unnamed, dimensions: [("client", label)])
            counter.increment(by: 1)
            if isNamed { counters[client] = counter }
            return isNamed
        }
        guard isFirst else { return }
        logger.warning(
            """
            an API client's backend names no address of the person, or a text that is none: all its people are one network in \
            the limits of messages. Its calls should have an IP address in ipAddress, signals.ip (Prelude) or DeviceIp (Twilio \
            Verify)
            """,
            metadata: ["client": "\(client.text)"])
    }

    private static func metadata(_ place: LimitTallies.PlaceNews) -> Logger.Metadata {
        [
            place.isCountry ? "country" : "prefix": "\(place.place)",
            "client": "\(place.key.tenant?.text ?? "")",
        ]
    }

    /// Called once a day for each budget.
    @Sendable package func note(_ budget: LimitTallies.BudgetNote) {
        let metadata: Logger.Metadata = [
            "limit": "\(budget.key.counter.limit.rawValue)", "used": "\(SpendGuard.text(ofUnits: budget.used))",
            "of": "\(SpendGuard.text(ofUnits: budget.limit))",
        ]
        switch budget.level {
        case .near: logger.warning("four fifths of what messages may cost in a day are spent", metadata: metadata)
        case .spent: logger.error("what messages may cost in a day is spent", metadata: metadata)
        }
    }
}
