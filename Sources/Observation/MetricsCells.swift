internal import Locks
internal import CoreMetrics
internal import HTTPServer
internal import Synchronization

/// A metric that only grows.
final class CounterCell: CounterHandler {
    private let total = Atomic<Int64>(0)

    var value: Int64 { total.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        total.wrappingAdd(max(0, amount), ordering: .relaxed)
    }

    func reset() { total.store(0, ordering: .relaxed) }
}

/// A metric that goes up and down.
final class GaugeCell: MeterHandler {
    private let state = Locked(0.0)

    var value: Double { state.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = value } }
    func increment(by amount: Double) { state.withLock { $0 += amount } }
    func decrement(by amount: Double) { state.withLock { $0 -= amount } }
}

/// Counts values by size, in fixed buckets.
final class HistogramCell: RecorderHandler, TimerHandler {
    struct Snapshot: Sendable, Equatable {
        var bounds: [Double]
        /// One more than there are bounds: the last counts all larger values. Not cumulative.
        var counts: [Int]
        var sum = 0.0

        init(bounds: [Double]) {
            self.bounds = bounds
            counts = [Int](repeating: 0, count: bounds.count + 1)
        }

        /// A value equal to a bound belongs to that bound's bucket.
        mutating func record(_ value: Double) {
            let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
            counts[bucket] &+= 1
            sum += value
        }
    }

    private let state: Locked<Snapshot>

    init(bounds: [Double]) {
        state = Locked(Snapshot(bounds: bounds))
    }

    var snapshot: Snapshot { state.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { state.withLock { $0.record(value) } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
