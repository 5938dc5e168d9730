internal import Locks
internal import Observation
internal import Administration

/// The progress of sealing values of older keys with the current key, for operators and the metrics.
final class ResealProgress: Sendable {
    struct Figures: Sendable, Equatable {
        /// Values sealed again since this process started.
        var resealed = 0
        /// Values that still have to be sealed again; `nil`: not counted yet.
        var left: Int?
        /// The sealing key for which they were counted.
        var generation: UInt8 = 0
        /// The values among them that cannot be opened.
        var unreadable = 0
    }

    private let state = Locked(Figures())

    var figures: Figures { state.withLock { $0 } }

    func counted(_ left: Int, of generation: UInt8) {
        state.withLock { figures in
            figures.left = left
            figures.generation = generation
        }
    }

    func resealed(_ count: Int) {
        state.withLock { figures in
            figures.resealed += count
            figures.left = figures.left.map { max(0, $0 - count) }
        }
    }

    /// Called after a pass that found no other values.
    func ended(unreadable: Int) {
        state.withLock { figures in
            figures.left = unreadable
            figures.unreadable = unreadable
        }
    }

    func collect(_ text: inout MetricsText) {
        let figures = figures
        text.counter(
            "holdfast_resealed_values_total", "Values sealed with the current sealing key since the start.",
            Double(figures.resealed))
        text.gauge(
            "holdfast_values_to_reseal", "Values that an older sealing key has sealed.", Double(figures.left ?? 0))
    }
}
