/// Why a request was refused under overload: the stages of `holdfast_http_requests_shed_total`.
package enum SheddingStage: String, Sendable, CaseIterable {
    /// More requests have arrived than the loop begins in time.
    case loopWait = "loop_wait"
    /// The store would not get to its change in time.
    case storeWait = "store_wait"
    /// Its caller has far more at work than an equal share.
    case fairShare = "fair_share"
    /// It could not begin before its caller gave up.
    case late
}

/// Decides for one loop which requests are refused from their head, as they could not be answered in time (OVL-02).
///
/// Without overload it compares two numbers. Times are monotonic nanoseconds.
struct Shedding {
    /// How long the store lets a change wait before it begins, with so many of them at work.
    typealias StoreWait = @Sendable (_ changesAtWork: Int) -> UInt64

    /// The decision on an admitted request, kept until its end.
    struct Admitted {
        let demand: Demand
        /// Where its caller is counted. `nil`: there was no need to.
        var place: FairShares.Place?
    }

    enum Decision {
        case admitted(Admitted)
        case refused(SheddingStage)
    }

    private let storeWait: StoreWait?
    private let workload: Workload
    private var shares = FairShares()

    /// Nanoseconds that a request which begins something may wait for the loop or the store: half of what a caller waits. A
    /// request that goes on with something may wait longer.
    private static let longestWait: UInt64 = 500_000_000
    private static let longestWaitToGoOn: UInt64 = 800_000_000
    /// The same for the loop, once more has come than it can do for longer than a burst: a queue that stands gains nothing
    /// by its length, and its oldest would be answered too late.
    private static let longestStandingWait: UInt64 = 100_000_000
    private static let longestStandingWaitToGoOn: UInt64 = 200_000_000
    /// From a quarter of these waits on, one who floods is refused before others are.
    private static let pressure: UInt64 = 4

    /// Seconds after which a refused caller may come again, in turn: not all at the same time (OVL-02).
    static let retryAfterSeconds = 1...3

    init(storeWait: StoreWait?, workload: Workload) {
        self.storeWait = storeWait
        self.workload = workload
    }

    /// - Parameters:
    ///   - loopWait: until it would begin.
    ///   - isStanding: the loop has been behind for longer than a burst lasts.
    ///   - caller: a hash of who asks; `nil`: nobody who could be told from others. Asked for under pressure only.
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
        // Reads may last, as a stream does, and take nothing meanwhile.
        guard demand != .reads, let caller = caller() else { return .admitted(Admitted(demand: demand)) }
        let place = FairShares.place(of: caller)
        if shares.isOverShare(place) { return refuse(.fairShare) }
        return .admitted(Admitted(demand: demand, place: place))
    }

    private func refuse(_ stage: SheddingStage) -> Decision {
        workload.noteRefused(stage)
        return .refused(stage)
    }

    /// Takes note of a request that waited so long that it was not begun.
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
