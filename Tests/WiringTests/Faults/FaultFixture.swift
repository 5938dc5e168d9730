import Clocks
import Foundation
import Sandbox
import Locks
import Logging
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage
@testable import Observation
@testable import Wiring

extension SQLiteDatabase {
    /// The engine's own limit of pages stands for the room on a disk.
    func limitPages(to pages: Int) async throws {
        try await database.transaction { (connection) throws(StorageFault) in
            guard let connection = connection as? SQLiteConnection else { return }
            try connection.script("PRAGMA max_page_count = \(pages)")
        }
    }

    /// A write that needs room.
    func fill() async throws {
        try? await database.transaction { (connection) throws(StorageFault) in
            try ProbesTable.write(fillerBytes: 1 << 20, connection)
        }
    }
}

/// The clocks of a machine, moved by hand.
final class HandClocks: Sendable {
    static let start = Timestamp(seconds: 1_800_000_000)
    private let state = Locked((wall: HandClocks.start, steady: UInt64(1_000_000_000)))

    var wall: Timestamp { state.withLock { $0.wall } }
    var steady: UInt64 { state.withLock { $0.steady } }

    func pass(_ duration: Duration) {
        state.withLock { state in
            state.wall = state.wall.adding(duration)
            state.steady += UInt64(duration.components.seconds) * 1_000_000_000
        }
    }

    func jump(_ seconds: Int) { state.withLock { $0.wall = $0.wall.adding(.seconds(seconds)) } }

    func clock() -> ForwardClock { ForwardClock(wall: { self.wall }, steady: { self.steady }) }
}

/// A database with what watches over it, and the log that is written.
final class WatchedStore: Sendable {
    let directory = ServerFixture.freshDirectory()
    let clocks = HandClocks()
    let clock: ForwardClock
    let database: SQLiteDatabase
    let sink: LogSink
    let logger: Logger
    let fatal = Locked<[String]>([])
    private let pipe = LogTests.Pipe()

    init(logCapacity: Int = 1 << 20) throws {
        let clocks = clocks
        clock = clocks.clock()
        database = try SQLiteDatabase(
            .directory(DataDirectory(directory)), migrations: ServerFixture.repository + "/migrations",
            now: HandClocks.start, uptime: { clocks.steady }, onFatal: { Issue.record("storage failed: \($0)") })
        let sink = LogSink(descriptor: pipe.write, capacity: logCapacity)
        self.sink = sink
        logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink) })
    }

    func watch(mark: Timestamp? = nil, isDamaged: @escaping @Sendable () -> Bool = { false }) -> FaultWatch {
        FaultWatch(
            database, clock: clock, mark: mark, sink: sink, logger: logger, isDamaged: isDamaged,
            wall: { [clocks] in clocks.wall }, steady: { [clocks] in clocks.steady },
            onFatal: { [fatal] reason in fatal.withLock { $0.append(reason) } })
    }

    /// Closes the database; the log as `level: beginning of the message`, in order.
    func end() async throws -> [String] {
        await database.close()
        sink.flush(within: .seconds(60))
        return try String(decoding: pipe.contents(), as: UTF8.self).split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let message = try #require(object?["message"] as? String)
            return "\(object?["level"] as? String ?? ""): \(message)"
        }
    }
}
