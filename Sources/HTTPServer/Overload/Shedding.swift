/// Why a request was refused under overload: the stages of `holdfast_http_requests_shed_total`.
package enum SheddingStage: String, Sendable, CaseIterable {
    /// Requests arrive faster than the loop can begin them in time.
    case loopWait = "loop_wait"
    /// The store could not start its change in time.
    case storeWait = "store_wait"
    /// Its caller has far more than an equal share of the running requests.
    case fairShare = "fair_share"
    /// It could not begin before its caller gave up.
    case late
}

/// Decides for one loop which requests are refused from their head because they could not be answered in time (OVL-02).
///
/// Without overload it only compares two numbers. Times are monotonic nanoseconds.
struct Shedding {
    /// How long a change waits in the store before it begins, for a number of running changes.
    typealias StoreWait = @Sendable (_ changesAtWork: Int) -> UInt64

    /// The decision on an admitted request, kept until its end.
    struct Admitted {
        let demand: Demand
        /// The slot where its caller is counted. `nil`: it was not counted.
        var place: FairShares.Place?
    }

    enum Decision {
        case admitted(Admitted)
        case refused(SheddingStage)
    }

    private let storeWait: StoreWait?
    private let workload: Workload
    private var shares = FairShares()

    /// Nanoseconds that a request that begins something may wait for the loop or the store: half of what a caller
    /// waits. A request that continues something may wait longer.
    private static let longestWait: UInt64 = 500_000_000
    private static let longestWaitToGoOn: UInt64 = 800_000_000
    /// The same for the loop while it has been behind for longer than a burst: a standing queue gains nothing from its
    /// length, and its oldest requests would be answered too late.
    private static let longestStandingWait: UInt64 = 100_000_000
    private static let longestStandingWaitToGoOn: UInt64 = 200_000_000
    /// From a quarter of these waits on, a caller that floods the server is refused before others.
    private static let pressure: UInt64 = 4

    /// Seconds after which a refused caller may retry. The values rotate, so that callers do not all return at once
    /// (OVL-02).
    static let retryAfterSeconds = 1...3

    init(storeWait: StoreWait?, workload: Workload) {
        self.storeWait = storeWait
        self.workload = workload
    }

    /// - Parameters:
    ///   - loopWait: nanoseconds until it would begin.
    ///   - isStanding: the loop has been behind for longer than a burst lasts.
    ///   - caller: a hash that identifies the caller; `nil`: it cannot be identified. Called only under pressure.
    mutating func decide(
        _ demand: Demand, loopWait: UInt64, isStanding: Bool, caller: () -> Int?
    ) -> Decision {
        let storeWait = demand == .reads ? 0 : storeWait?(workload.changesAtWork) ?? 0
        guard loopWait > 0 || storeWait > 0 else { return .admitted(Admitted(demand: demand)) }
        let begins = demand == .begins
        let mostOfStore = begins ? Shedding.longestWait : Shedding.longestWaitToGoOn
        let mostOfLoop: UInt64
        if isStanding {
            mostOfLoop = begins ? Shedding.longestStandingWait : Shedding.longestStandingWaitToGoOn
        } else {
            mostOfLoop = mostOfStore
        }
        if loopWait > mostOfLoop { return refuse(.loopWait) }
        if storeWait > mostOfStore { return refuse(.storeWait) }
        guard loopWait > mostOfLoop / Shedding.pressure || storeWait > mostOfStore / Shedding.pressure else {
            return .admitted(Admitted(demand: demand))
        }
        // Reads are not counted: a stream may last long and uses nothing meanwhile.
        guard demand != .reads, let caller = caller() else { return .admitted(Admitted(demand: demand)) }
        let place = FairShares.place(of: caller)
        if shares.isOverShare(place) { return refuse(.fairShare) }
        return .admitted(Admitted(demand: demand, place: place))
    }

    private func refuse(_ stage: SheddingStage) -> Decision {
        workload.noteRefused(stage)
        return .refused(stage)
    }

    /// Records a request that waited too long and was not begun.
    func noteLate() { workload.noteRefused(.late) }

    mutating func begin(_ admitted: Admitted) {
        if admitted.demand != .reads { workload.addChanges(1) }
        if let place = admitted.place { shares.begin(place) }
    }

    mutating func end(_ admitted: Admitted) {
        if admitted.demand != .reads { workload.addChanges(-1) }
        if let place = admitted.place { shares.end(place) }
    }
}
