internal import Locks
internal import CLinux
internal import Dispatch
internal import Synchronization

/// One thread's worth of I/O: a serial Dispatch queue, one epoll set, and one read source on the set's descriptor.
///
/// The handler of that source runs turn after turn and waits up to 1 ms for the next events before it returns to
/// Dispatch: a busy loop pays no Dispatch hop, an idle one costs nothing. A turn:
///
///     wait -> ( one of readiness, timers, inbox -> run list )* -> backlog -> turn-end work -> flush of connections
///
/// If there is a backlog, turn-end work and flush also run before it.
///
/// A request begins as soon as it has arrived, while its bytes are in the cache. In a long turn it waits in the backlog
/// until all input is read. Requests that cannot be done in time are thus refused before the others begin.
///
/// A loop is a task executor: `Task(executorPreference: loop)` stays on it from `await` to `await`. A busy loop holds
/// its queue, so `queue.async` is never used; work from other threads goes through the inbox and a wake-up.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    // Sendable: `inbox` is locked, `isStopped` is atomic, `poller.wake` may be called from any thread; everything else
    // is confined to the turn, which runs on `queue`, and checked there with `isCurrent`.

    private enum Item {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private struct Inbox {
        var items: [Item] = []
        /// A wake-up is pending; another would waste a system call.
        var isSignalled = false
    }

    package let name: String
    private let queue: DispatchQueue
    private let inbox = Locked(Inbox())
    private let isStopped = Atomic<Bool>(false)
    private let turnCount = Atomic<Int>(0)

    private let poller: Poller
    private var source: (any DispatchSourceRead)?
    @exclusivity(unchecked) private var runList: [Item] = []
    @exclusivity(unchecked) private var spareList: [Item] = []
    @exclusivity(unchecked) private var turnEndWork: [@Sendable () -> Void] = []
    @exclusivity(unchecked) private var toFlush: [any Pollable] = []
    @exclusivity(unchecked) private var pollables = SlotTable()
    @exclusivity(unchecked) private var timers = TimerQueue()
    @exclusivity(unchecked) private var backlog = Backlog<any Startable>()
    /// For other threads: the size of the backlog and its expected wait in nanoseconds.
    private let countInBacklog = Atomic<Int>(0)
    private let waitInBacklog = Atomic<Int>(0)
    private var timerArmedFor = UInt64.max
    private var areTimersDue = false

    /// Monotonic nanoseconds, read once a turn after the wait.
    private(set) var now: UInt64
    private let manualClock: ManualClock?

    /// How long a turn waits before the thread goes back to Dispatch.
    private static let waitMilliseconds: Int32 = 1
    /// Rounds of the run list before the loop checks for events again, so that tasks which only yield cannot starve the
    /// sockets.
    private static let maxRounds = 16
    /// Rounds between two events, so that long work that yields gets one step, not many.
    private static let roundsBetween = 2
    /// A request that has waited longer in the backlog must be refused, in nanoseconds (`Limits.longestWait`).
    let longestWait: UInt64
    /// Nanoseconds. For this long a turn begins each request as it arrives; for this long it then works on its backlog
    /// before it checks for events again.
    private static let longTurn: UInt64 = 8_000_000
    /// How many times a turn checks for more events before it works on its backlog.
    private static let maxLooks = 16

    /// - Parameters:
    ///   - manualClock: time for tests, instead of the machine's.
    ///   - longestWait: the longest that a request may wait in the backlog.
    /// - Throws: when the process has no free descriptor.
    package init(
        name: String, manualClock: ManualClock? = nil, longestWait: Duration = .seconds(1)
    ) throws(SocketError) {
        self.longestWait = longestWait.wholeNanoseconds
        self.name = name
        self.manualClock = manualClock
        now = manualClock?.now ?? Poller.now()
        queue = DispatchQueue(label: name)
        poller = try Poller.make()
    }

    /// The loop whose turn the calling thread is running.
    package static var current: EventLoop? {
        clinux_thread_pointer().map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// True on the thread that runs this loop's turn.
    package var isCurrent: Bool {
        clinux_thread_pointer() == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Turns taken since the start.
    package var turns: Int { turnCount.load(ordering: .relaxed) }

    /// Begins to run. The loop keeps itself alive until `stop`.
    package func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue)
        source.setEventHandler { self.run() }
        source.setCancelHandler { self.source = nil }
        self.source = source
        source.activate()
    }

    /// Stops the loop after the work in the inbox has run. Work posted later never runs.
    package func stop() {
        post { self.isStopped.store(true, ordering: .relaxed) }
    }

    // MARK: Waiting for changes, on the loop

    /// The server is shutting down: waits end at once, and new ones do not begin.
    private(set) var isDraining = false
    private var waitTables: [Int: WaitTable] = [:]

    /// This loop's part of a wait list; `make` is called if it has none yet.
    func waitTable(_ id: Int, make: () -> WaitTable) -> WaitTable {
        precondition(isCurrent, "waits belong to a loop")
        if let table = waitTables[id] { return table }
        let table = make()
        waitTables[id] = table
        return table
    }

    func beginDraining() {
        precondition(isCurrent, "draining begins on the loop")
        isDraining = true
        for table in waitTables.values { table.endAll(.draining) }
    }

    // MARK: Work

    /// Runs `work` on the loop: in this turn when called on the loop, otherwise in the next turn.
    package func post(_ work: @escaping @Sendable () -> Void) {
        add(.work(work))
    }

    /// Runs all of `batch` on the loop, in order, at the cost of one hop.
    package func post(batch: [@Sendable () -> Void]) {
        guard !batch.isEmpty else { return }
        if isCurrent {
            runList.append(contentsOf: batch.lazy.map { .work($0) })
        } else {
            deliver { $0.append(contentsOf: batch.lazy.map { .work($0) }) }
        }
    }

    /// Runs `work` once at the end of the turn, when the run list is empty and before connections are flushed. Call on
    /// the loop.
    package func atTurnEnd(_ work: @escaping @Sendable () -> Void) {
        precondition(isCurrent, "turn-end work belongs to the turn")
        turnEndWork.append(work)
    }

    /// Runs `work` on the loop after `delay` (monotonic).
    @discardableResult
    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken {
        schedule(at: time + delay.wholeNanoseconds, work)
    }

    @discardableResult
    func schedule(at time: UInt64, _ work: @escaping @Sendable () -> Void) -> TimerToken {
        let token = TimerToken(loop: self, work: work)
        if isCurrent { timers.add(token, at: time) } else { post { self.timers.add(token, at: time) } }
        return token
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    private func add(_ item: Item) {
        if isCurrent {
            runList.append(item)
        } else {
            deliver { $0.append(item) }
        }
    }

    private func deliver(_ put: (inout [Item]) -> Void) {
        let mustWake = inbox.withLock { inbox in
            put(&inbox.items)
            let mustWake = !inbox.isSignalled
            inbox.isSignalled = true
            return mustWake
        }
        if mustWake { poller.wake() }
    }

    // MARK: Backlog, on the loop

    /// Begins `work` now, or from the backlog when this turn is already long.
    func begin(_ work: any Startable) {
        if backlog.isEmpty, time &- now < EventLoop.longTurn {
            work.start(waited: 0)
        } else {
            backlog.append(work, at: time)
            countInBacklog.store(backlog.count, ordering: .relaxed)
        }
    }

    /// Nanoseconds until a request that arrives now would begin.
    var expectedWait: UInt64 { backlog.isEmpty ? 0 : backlog.expectedWait(at: time) }

    /// Requests have arrived faster than they begin for longer than a burst lasts.
    var isBacklogStanding: Bool { !backlog.isEmpty && backlog.isStanding(at: time) }

    private func workOnBacklog() {
        guard !backlog.isEmpty else { return }
        var now = time
        let end = now + EventLoop.longTurn
        while now < end, let next = backlog.next(at: now, longestWait: longestWait) {
            next.item.start(waited: next.waited)
            runJobs(rounds: EventLoop.roundsBetween)
            now = time
        }
        countInBacklog.store(backlog.count, ordering: .relaxed)
        waitInBacklog.store(Int(clamping: backlog.expectedWait(at: now)), ordering: .relaxed)
    }

    // MARK: The backlog, from any thread

    package var backlogCount: Int { countInBacklog.load(ordering: .relaxed) }
    package var reportedWait: Duration { .nanoseconds(waitInBacklog.load(ordering: .relaxed)) }

    // MARK: Descriptors, on the loop

    func register(_ pollable: any Pollable, _ descriptor: Int32, _ interest: Poller.Interest) throws(SocketError)
        -> UInt64
    {
        precondition(isCurrent, "descriptors belong to the loop")
        let token = pollables.insert(pollable)
        do {
            try poller.add(descriptor, token: token, interest)
        } catch {
            pollables.remove(token)
            throw error
        }
        return token
    }

    func change(_ token: UInt64, _ descriptor: Int32, _ interest: Poller.Interest) {
        poller.change(descriptor, token: token, interest)
    }

    /// Stops watching; call it before the descriptor is closed.
    func unregister(_ token: UInt64, _ descriptor: Int32) {
        poller.remove(descriptor)
        pollables.remove(token)
    }

    /// Calls `flush` of this connection once at the end of the turn.
    func flushAtTurnEnd(_ pollable: any Pollable) {
        toFlush.append(pollable)
    }

    // MARK: Time

    /// Monotonic nanoseconds, read from the clock, not the turn's time.
    var time: UInt64 { manualClock?.now ?? Poller.now() }

    /// Returns after all due timers have fired. For tests that have moved a still clock.
    package func catchUp() async {
        await withUnsafeContinuation { continuation in
            post {
                self.now = self.time
                self.fireTimers()
                continuation.resume()
            }
        }
    }

    /// Whether a timer is pending.
    package func hasTimers() async -> Bool {
        await withUnsafeContinuation { continuation in post { continuation.resume(returning: self.timers.count > 0) } }
    }

    // MARK: Timers, on the loop

    func timerWasCancelled() {
        timers.noteCancelled()
    }

    private func fireTimers() {
        while let token = timers.popDue(at: now) { token.fire() }
    }

    /// Runs after the other events of a turn: after the process was suspended, deadlines have passed, but what peers
    /// sent in time is in the kernel and must be read first.
    private func fireDueTimers() {
        guard areTimersDue else { return }
        areTimersDue = false
        fireTimers()
    }

    /// Makes one system call, and only when the next deadline is earlier than the armed one: deadlines that move later
    /// cost nothing.
    private func armTimer() {
        guard let earliest = timers.earliest, earliest < timerArmedFor else { return }
        if manualClock != nil {
            if earliest <= now { post { self.fireTimers() } }
            return
        }
        timerArmedFor = earliest
        poller.armTimer(at: earliest)
    }

    // MARK: The turn

    private func run() {
        clinux_set_thread_pointer(Unmanaged.passUnretained(self).toOpaque())
        defer { clinux_set_thread_pointer(nil) }
        while true {
            let isIdle = runList.isEmpty && backlog.isEmpty
            var count = poller.wait(milliseconds: isIdle ? EventLoop.waitMilliseconds : 0)
            if count == 0 && isIdle { return }
            now = time
            takeEvents(count)
            var looks = 1
            while count == Poller.maxEvents, areTimersDue || !backlog.isEmpty, looks < EventLoop.maxLooks {
                count = poller.wait(milliseconds: 0)
                takeEvents(count)
                looks += 1
            }
            fireDueTimers()
            // Refusals do not wait for the rest (OVL-02).
            if !backlog.isEmpty { runReadyWork() }
            workOnBacklog()
            finishTurn()
            if isStopped.load(ordering: .relaxed) {
                end()
                return
            }
        }
    }

    private func takeEvents(_ count: Int) {
        for index in 0..<count {
            take(poller.event(at: index))
            // Jobs started by one event run before the next event is handled, while their memory is in the cache.
            runJobs(rounds: EventLoop.roundsBetween)
        }
    }

    /// Ends all waits and drops the timers, whose tokens retain the loop.
    private func end() {
        beginDraining()
        finishTurn()
        backlog = Backlog()
        timers = TimerQueue()
        waitTables = [:]
        source?.cancel()
    }

    private func take(_ event: Poller.Event) {
        switch event {
        case .ready(let token, let readiness): pollables[token]?.ready(readiness)
        case .woken: takeInbox()
        case .timer:
            timerArmedFor = .max
            areTimersDue = true
        }
    }

    private func takeInbox() {
        inbox.withLock { inbox in
            inbox.isSignalled = false
            if runList.isEmpty {
                swap(&runList, &inbox.items)
            } else {
                runList.append(contentsOf: inbox.items)
                inbox.items.removeAll(keepingCapacity: true)
            }
        }
    }

    private func finishTurn() {
        runReadyWork()
        armTimer()
        turnCount.store(turnCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Runs ready jobs and sends the answers.
    private func runReadyWork() {
        runJobs()
        while !turnEndWork.isEmpty {
            let work = turnEndWork
            turnEndWork.removeAll(keepingCapacity: true)
            for item in work { item() }
            runJobs()
        }
        var flushed = 0
        while flushed < toFlush.count {
            toFlush[flushed].flush()
            flushed += 1
        }
        toFlush.removeAll(keepingCapacity: true)
    }

    private func runJobs(rounds most: Int = EventLoop.maxRounds) {
        var rounds = 0
        while !runList.isEmpty && rounds < most {
            swap(&runList, &spareList)
            for item in spareList {
                switch item {
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                case .work(let work): work()
                }
            }
            spareList.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }
}
