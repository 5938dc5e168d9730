internal import SurfaceKit
internal import HTTPServer
internal import Observation

/// Writes the figures that the server and the database count themselves.
struct ServerFigures: Sendable {
    private let server: Server
    private let database: any WatchedDatabase
    private let places: WaitingPlaces
    private let files: StoreFigures

    init(_ server: Server, _ database: any WatchedDatabase, _ places: WaitingPlaces, files: StoreFigures) {
        self.files = files
        self.server = server
        self.database = database
        self.places = places
    }

    func collect(_ text: inout MetricsText) {
        collect(server.statistics(), &text)
        let waiting = places.figures
        text.gauge("holdfast_streams_open", "Event streams and long polls that wait.", Double(waiting.waiting))
        text.counter("holdfast_streams_refused_total", "Those refused over a limit.", Double(waiting.refused))
        database.collect(&text)
        text.gauge(
            "holdfast_writer_wait_seconds", "How long a change that comes now waits for the writer.",
            Double(database.expectedWait(behind: 0)) / 1e9)
        files.collect(&text)
    }

    private func collect(_ now: Statistics, _ text: inout MetricsText) {
        text.gauge("holdfast_http_connections_open", "Open connections.", Double(now.openConnections))
        text.counter("holdfast_http_connections_accepted_total", "Connections taken.", Double(now.accepted))
        let refused = now.refused
        for (reason, count) in [
            ("limit", refused.overAll), ("address_limit", refused.overAddress),
            ("descriptors", refused.withoutDescriptor), ("proxy_header", refused.withoutProxyHeader),
        ] {
            text.counter(
                "holdfast_http_connections_refused_total", "Connections refused, by reason.", Double(count),
                labels: MetricsText.labels([("reason", reason)]))
        }
        text.gauge("holdfast_http_buffered_bytes", "Bytes that connections hold.", Double(now.bufferedBytes))
        text.counter(
            "holdfast_http_requests_refused_memory_total", "Requests refused as connections held too much.",
            Double(now.requestsRefusedForMemory))
        for stage in SheddingStage.allCases {
            text.counter(
                "holdfast_http_requests_shed_total",
                "Requests refused as they could not be answered in time, by stage.",
                Double(now.shed[stage, default: 0]), labels: MetricsText.labels([("stage", stage.rawValue)]))
        }
        text.gauge("holdfast_http_requests_in_flight", "Requests not yet answered.", Double(now.requestsInFlight))
        text.gauge("holdfast_loops", "Event loops.", Double(now.loops.count))
        let labels = now.loops.indices.map { MetricsText.labels([("loop", String($0))]) }
        for (loop, labels) in zip(now.loops, labels) {
            text.gauge(
                "holdfast_loop_connections", "Connections of a loop.", Double(loop.openConnections), labels: labels)
        }
        for (loop, labels) in zip(now.loops, labels) {
            text.counter("holdfast_loop_responses_total", "Answers of a loop.", Double(loop.responses), labels: labels)
        }
        for (loop, labels) in zip(now.loops, labels) {
            text.counter("holdfast_loop_turns_total", "Turns of a loop.", Double(loop.turns), labels: labels)
        }
        for (loop, labels) in zip(now.loops, labels) {
            text.gauge(
                "holdfast_loop_backlog", "Requests of a loop that have arrived and not begun.", Double(loop.backlog),
                labels: labels)
        }
        for (loop, labels) in zip(now.loops, labels) {
            text.gauge(
                "holdfast_loop_wait_seconds", "How long a request that comes now waits for its loop.",
                loop.expectedWait / .seconds(1), labels: labels)
        }
    }
}
