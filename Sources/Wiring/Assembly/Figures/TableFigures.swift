internal import Locks
internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import Storage

/// The size of each table (OPS-06). Measuring reads the whole file, so it runs in the background, and a further figure
/// shows the age of the result.
final class TableFigures: Sendable {
    private struct Found {
        let sizes: [TableSize]
        let at: Timestamp
    }

    /// A server that has just started has more urgent work.
    private static let firstWait = Duration.seconds(60)
    /// The least time between two measurements.
    private static let interval = Duration.seconds(600)
    /// A slow measurement runs less often: the pause is this many times as long as the measurement took.
    private static let restOfLook = 50

    private let sizes: @Sendable () async throws(StorageFault) -> [TableSize]?
    private let now: Now
    private let logger: Logger
    private let found = Locked<Found?>(nil)

    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - sizes: reads the file; `nil`: the sizes cannot be measured.
    init(
        now: @escaping Now, logger: Logger, sizes: @escaping @Sendable () async throws(StorageFault) -> [TableSize]?
    ) {
        self.now = now
        self.logger = logger
        self.sizes = sizes
    }

    /// Runs until the task is cancelled.
    func run() async {
        var wait = Self.firstWait
        while true {
            do { try await Task.sleep(for: wait) } catch { return }
            let start = ContinuousClock.now
            await refresh()
            wait = max(Self.interval, (ContinuousClock.now - start) * Self.restOfLook)
        }
    }

    /// Measures once.
    func refresh() async {
        do throws(StorageFault) {
            guard let sizes = try await sizes() else { return }
            let at = now()
            found.withLock { $0 = Found(sizes: sizes, at: at) }
        } catch { logger.warning("the sizes of tables were not read", metadata: ["fault": "\(error)"]) }
    }

    /// Writes nothing before the first measurement.
    func collect(_ text: inout MetricsText) {
        guard let found = found.withLock({ $0 }) else { return }
        let labels = found.sizes.map { MetricsText.labels([("table", $0.name)]) }
        for (size, labels) in zip(found.sizes, labels) {
            text.gauge("holdfast_table_rows", "Rows of a table, at the last look.", Double(size.rows), labels: labels)
        }
        for (size, labels) in zip(found.sizes, labels) {
            text.gauge(
                "holdfast_table_bytes", "Size of a table with its indexes, at the last look.", Double(size.bytes),
                labels: labels)
        }
        text.gauge(
            "holdfast_table_look_age_seconds", "How long ago the tables were looked at.",
            Double(max(0, now().milliseconds - found.at.milliseconds)) / 1000)
    }
}
