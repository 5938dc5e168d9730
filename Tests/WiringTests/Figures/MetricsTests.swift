import CoreMetrics
import Testing

@testable import HTTPServer
@testable import Observation
@testable import Wiring

@Suite struct MetricsTests {
    static func rendered(_ registry: MetricsRegistry) -> [String] {
        String(decoding: registry.render(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `renders counters under one header, sorted by label`() {
        let registry = MetricsRegistry([.init("things_total", help: "Things.")])
        Counter(label: "things_total", dimensions: [("kind", "b")], factory: registry).increment(by: 2)
        Counter(label: "things_total", dimensions: [("kind", "a")], factory: registry).increment()
        #expect(
            Self.rendered(registry) == [
                "# HELP things_total Things.", "# TYPE things_total counter", #"things_total{kind="a"} 1"#,
                #"things_total{kind="b"} 2"#,
            ])
    }

    @Test func `gives everybody who asks for a series the same one`() {
        let registry = MetricsRegistry([])
        for _ in 0..<3 { Counter(label: "n", factory: registry).increment() }
        #expect(Self.rendered(registry).last == "n 3")
    }

    @Test func `renders cumulative buckets, a bound belonging to its bucket`() {
        let registry = MetricsRegistry([.init("sizes", help: "Sizes.", bounds: [1, 2.5])])
        let recorder = Recorder(label: "sizes", dimensions: [("a", "b")], aggregate: true, factory: registry)
        for value in [0.5, 1, 2.5, 3] { recorder.record(value) }
        #expect(
            Self.rendered(registry).dropFirst(2) == [
                #"sizes_bucket{a="b",le="1"} 2"#, #"sizes_bucket{a="b",le="2.5"} 3"#,
                #"sizes_bucket{a="b",le="+Inf"} 4"#,
                #"sizes_sum{a="b"} 7"#, #"sizes_count{a="b"} 4"#,
            ])
    }

    @Test func `escapes label values`() {
        let registry = MetricsRegistry([])
        Meter(label: "m", dimensions: [("l", "a\"b\\c\nd")], factory: registry).set(1.5)
        #expect(Self.rendered(registry).last == #"m{l="a\"b\\c\nd"} 1.5"#)
    }

    @Test func `asks collectors at each scrape`() {
        let registry = MetricsRegistry([])
        registry.collect { $0.gauge("g", "G.", 4) }
        #expect(Self.rendered(registry) == ["# HELP g G.", "# TYPE g gauge", "g 4"])
        #expect(Self.rendered(registry).count == 3)
    }

    @Test func `counts requests by bounded labels`() {
        let registry = MetricsRegistry(RequestMetrics.families)
        let metrics = RequestMetrics(registry)
        metrics.record(["A", "B"].map { LogTests.exchange(method: .other($0)) } + [LogTests.exchange()])
        metrics.record([LogTests.exchange(method: .other("C"))])
        let lines = Self.rendered(registry)
        #expect(lines.contains(#"holdfast_http_requests_total{method="other",route="/v3/unify",status="200"} 3"#))
        #expect(lines.contains(#"holdfast_http_requests_total{method="POST",route="/v3/unify",status="200"} 1"#))
        #expect(lines.contains(#"holdfast_http_request_seconds_bucket{method="POST",route="/v3/unify",le="0.0025"} 1"#))
        #expect(lines.contains(#"holdfast_http_request_seconds_bucket{method="POST",route="/v3/unify",le="0.001"} 0"#))
    }

    @Test func `reads the figures of the process`() {
        #expect(ProcessFigures.residentBytes() > 1_000_000)
        #expect(ProcessFigures.openDescriptors() > 2)
    }
}
