internal import Locks
package import CoreMetrics
package import HTTPServer

/// Counts finished requests by route and status, and how long each took.
///
/// Labels are the route's pattern, a known method and the status: a bounded set, whatever callers send.
package final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let method: Method?
        let pattern: String?
        let status: Int

        init(_ exchange: Exchange) {
            if case .other = exchange.method { method = .other("other") } else { method = exchange.method }
            pattern = exchange.routePattern
            status = exchange.status
        }
    }

    private struct Handlers: Sendable {
        let count: any CounterHandler
        let time: any TimerHandler
    }

    package static let families = [
        MetricsRegistry.Family("holdfast_http_requests_total", help: "Finished requests."),
        MetricsRegistry.Family(
            "holdfast_http_request_seconds", help: "From the first byte of a request to its finished response.",
            bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
    ]

    private let factory: any MetricsFactory
    private let handlers = Locked<[Key: Handlers]>([:])

    package init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Called on the loop of the requests.
    package func record(_ exchanges: [Exchange]) {
        var start = 0
        while start < exchanges.count {
            // The requests of a turn mostly have the same key.
            let key = Key(exchanges[start])
            var end = start + 1
            while end < exchanges.count && Key(exchanges[end]) == key { end += 1 }
            let handlers = handlers(of: key)
            handlers.count.increment(by: Int64(end - start))
            for index in start..<end {
                handlers.time.recordNanoseconds(Int64(exchanges[index].duration.wholeMicroseconds) &* 1000)
            }
            start = end
        }
    }

    private func handlers(of key: Key) -> Handlers {
        handlers.withLock { known in
            if let handlers = known[key] { return handlers }
            let made = make(key)
            known[key] = made
            return made
        }
    }

    private func make(_ key: Key) -> Handlers {
        let route = [("method", key.method.name), ("route", key.pattern ?? "none")]
        return Handlers(
            count: factory.makeCounter(
                label: "holdfast_http_requests_total", dimensions: route + [("status", String(key.status))]),
            time: factory.makeTimer(label: "holdfast_http_request_seconds", dimensions: route))
    }
}
