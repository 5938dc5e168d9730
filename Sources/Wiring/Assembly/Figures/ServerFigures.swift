internal import SurfaceKit
internal import HTTPServer
internal import Observation
internal import SQLiteStorage
internal import Storage

/// Writes the figures that the server and the database count themselves.
struct ServerFigures: Sendable {
    private let server: Server
    private let database: SQLiteDatabase
    private let places: WaitingPlaces
    private let files: StoreFigures

    init(_ server: Server, _ database: SQLiteDatabase, _ places: WaitingPlaces, files: StoreFigures) {
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
        collect(database.statistics(), &text)
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

    private func collect(_ now: DatabaseStatistics, _ text: inout MetricsText) {
        text.histogram(
            "holdfast_writer_batch_size", "Transactions that shared a commit.",
            bounds: (0..<now.batchSizes.count - 1).map { Double(1 << $0) }, counts: now.batchSizes,
            sum: Double(now.transactions))
        text.counter("holdfast_writer_commits_total", "Commits.", Double(now.batches))
        text.counter("holdfast_writer_commit_seconds_total", "Time spent in commits.", now.commitSeconds)
        text.counter("holdfast_writer_transactions_total", "Committed transactions.", Double(now.transactions))
        text.counter("holdfast_writer_rolled_back_total", "Transactions taken back.", Double(now.rolledBack))
        for reason in WriteRefusal.allCases {
            text.counter(
                "holdfast_writer_refused_total", "Transactions that were not carried out.",
                Double(now.refusals[reason, default: 0]), labels: MetricsText.labels([("reason", reason.rawValue)]))
        }
        text.gauge("holdfast_writer_queue", "Transactions that wait.", Double(now.waiting))
        text.gauge("holdfast_writer_queue_most", "Most transactions that ever waited.", Double(now.mostWaiting))
        text.counter("holdfast_checkpoints_total", "Checkpoints of the log.", Double(now.checkpoints))
        text.counter("holdfast_checkpoint_seconds_total", "Time checkpoints took the writer.", now.checkpointSeconds)
        text.gauge(
            "holdfast_wal_held_seconds", "How long a reader has kept the write-ahead log from being emptied.",
            now.logHeldSeconds)
        text.gauge("holdfast_wal_bytes", "Size of the write-ahead log after the last commit.", Double(now.logBytes))
    }
}
