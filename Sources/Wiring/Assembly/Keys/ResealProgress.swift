internal import Locks
internal import Observation
internal import Administration

/// How far the values of older sealing keys have come to the current one, for operators and the metrics page.
final class ResealProgress: Sendable {
    struct Figures: Sendable, Equatable {
        /// Values sealed again since this process started.
        var resealed = 0
        /// Values that are to be sealed again; `nil`: not counted yet.
        var left: Int?
        /// The sealing key that they were counted for.
        var generation: UInt8 = 0
        /// The number of them that cannot be opened.
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

    /// After a pass that found nothing else.
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
