internal import Locks
package import CoreMetrics
internal import HTTPServer

/// All metrics of the process, kept in memory and rendered in Prometheus text format 0.0.4.
///
/// Code that counts gets it as a `MetricsFactory`; nothing is global. If another part already counts something, a
/// collector reads that count at the time of a scrape.
package final class MetricsRegistry: MetricsFactory {
    /// Writes samples of metrics that another part keeps.
    package typealias Collector = @Sendable (inout MetricsText) -> Void

    private struct SeriesKey: Hashable {
        let label: String
        let dimensions: String
    }

    private enum Series {
        case counter(CounterCell)
        case gauge(GaugeCell)
        case histogram(HistogramCell)
    }

    private struct State {
        var series: [SeriesKey: Series] = [:]
        var collectors: [Collector] = []
    }

    /// Name, help text and, for a histogram, the upper bounds of its buckets in its own unit.
    package struct Family: Sendable {
        let label: String
        let help: String
        let bounds: [Double]

        package init(_ label: String, help: String, bounds: [Double] = []) {
            self.label = label
            self.help = help
            self.bounds = bounds
        }
    }

    /// Further series are not counted: labels are bounded, so this would be a program error that must not use up the
    /// memory.
    private static let maxSeries = 10_000
    private static let defaultBounds: [Double] = [0.001, 0.01, 0.1, 1, 10]

    private let families: [String: Family]
    private let state = Locked(State())

    package init(_ families: [Family]) {
        self.families = Dictionary(families.map { ($0.label, $0) }) { first, _ in first }
    }

    package func collect(_ collector: @escaping Collector) {
        state.withLock { $0.collectors.append(collector) }
    }

    // MARK: Factory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let cell = CounterCell()
        if case .counter(let kept) = keep(.counter(cell), label, dimensions) { return kept }
        return cell
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let cell = GaugeCell()
        if case .gauge(let kept) = keep(.gauge(cell), label, dimensions) { return kept }
        return cell
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        histogram(label, dimensions)
    }

    /// Bounds and sum of a timer are in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    // Series live as long as the process.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramCell {
        let cell = HistogramCell(bounds: families[label]?.bounds ?? MetricsRegistry.defaultBounds)
        if case .histogram(let kept) = keep(.histogram(cell), label, dimensions) { return kept }
        return cell
    }

    /// The existing series with that name and labels, otherwise the new one.
    private func keep(_ new: Series, _ label: String, _ dimensions: [(String, String)]) -> Series {
        let key = SeriesKey(label: label, dimensions: MetricsText.labels(dimensions))
        return state.withLock { state in
            if let old = state.series[key] { return old }
            if state.series.count < MetricsRegistry.maxSeries { state.series[key] = new }
            return new
        }
    }

    // MARK: Rendering

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package func render() -> [UInt8] {
        let (series, collectors) = state.withLock { ($0.series, $0.collectors) }
        var text = MetricsText()
        let byLabel = Dictionary(grouping: series, by: \.key.label).sorted { $0.key < $1.key }
        for (label, members) in byLabel {
            let help = families[label]?.help ?? label
            for (key, one) in members.sorted(by: { $0.key.dimensions < $1.key.dimensions }) {
                switch one {
                case .counter(let cell): text.counter(label, help, Double(cell.value), labels: key.dimensions)
                case .gauge(let cell): text.gauge(label, help, cell.value, labels: key.dimensions)
                case .histogram(let cell): text.histogram(label, help, cell.snapshot, labels: key.dimensions)
                }
            }
        }
        for collector in collectors { collector(&text) }
        return text.bytes
    }
}
