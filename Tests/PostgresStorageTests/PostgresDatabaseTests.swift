import Dispatch
import Engine
import Locks
import Possession
import PostgresTestSupport
import Storage
import Testing

@testable import PostgresStorage

/// Transactions on a PostgreSQL, with a table of the tests.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct PostgresDatabaseTests {
    private enum SQL {
        static let insert: Statement = "INSERT INTO words (number, word, bytes) VALUES (?1, ?2, ?3)"
        static let find: Statement = "SELECT word, bytes, number FROM words WHERE number = ?1"
        static let all: Statement = "SELECT number FROM words ORDER BY number"
        static let rename: Statement = "UPDATE words SET word = ?2 WHERE number >= ?1"
        static let forgetPrepared: Statement = "DEALLOCATE ALL"
        static let changeColumns: Statement = "ALTER TABLE words ALTER COLUMN number TYPE integer"
        static let badTable: Statement = "SELECT 1 FROM nowhere"
    }

    private let address: PostgresAddress
    private let tested: PostgresDatabase
    private var database: Database { tested.database }

    init() throws {
        address = try PostgresAddress(
            TestedPostgres.makeSchema(
                """
                CREATE TABLE words (
                    number bigint NOT NULL UNIQUE, word text CHECK (length(word) < 10), bytes bytea,
                    owner bigint REFERENCES words (number)
                );
                """))
        tested = PostgresDatabase(address, lanes: 1, uptime: { 0 })
    }

    private func insert(_ number: Int, _ word: String? = "a", _ bytes: [UInt8]? = nil) async throws(StorageFault) {
        try await database.transaction { (connection) throws(StorageFault) in
            try Self.insert(number, word, bytes, on: connection)
        }
    }

    private static func insert(
        _ number: Int, _ word: String? = "a", _ bytes: [UInt8]? = nil, on connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.insert) {
            $0.integer(number)
            $0.text(word)
            $0.blob(bytes)
        }
    }

    private func numbers() async throws(StorageFault) -> [Int64] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) { (row) throws(StorageFault) in try row.integer("number") }
        }
    }

    @Test(
        arguments: [
            (Int64.min, "", []), (-1, "ünï", [0, 255]), (0, nil, nil),
            (Int64.max, "a", [UInt8](repeating: 7, count: 70_000)),
        ] as [(Int64, String?, [UInt8]?)])
    func `reads what was written`(number: Int64, word: String?, bytes: [UInt8]?) async throws {
        try await insert(Int(number), word, bytes)
        let found = try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) {
                $0.integer(number)
            } _: { (row) throws(StorageFault) in
                Found(
                    word: try row.optionalText("word"), bytes: try row.optionalBlob("bytes"),
                    number: try row.integer("number"))
            }
        }
        #expect(found == Found(word: word, bytes: bytes, number: number))
    }

    private struct Found: Equatable {
        let word: String?
        let bytes: [UInt8]?
        let number: Int64
    }

    /// Inserts the numbers by blind transactions that wait while the only lane is busy.
    /// - Returns: the faults, by number.
    private func insertBlind(_ numbers: ClosedRange<Int>) async -> [Int: StorageFault] {
        let gate = DispatchSemaphore(value: 0)
        database.submit { (_) throws(StorageFault) in gate.wait() }
        while tested.statistics().busyLanes == 0 { await Task.yield() }
        return await withTaskGroup(of: (Int, StorageFault?).self) { group in
            for number in numbers {
                group.addTask {
                    do throws(StorageFault) {
                        try await database.transaction(isBlind: true) { (connection) throws(StorageFault) in
                            try Self.insert(number, on: connection)
                        }
                        return (number, nil)
                    } catch { return (number, error) }
                }
            }
            while tested.statistics().waiting < numbers.count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `blind transactions that wait share a commit`() async throws {
        #expect(await insertBlind(1...40).isEmpty)
        #expect(try await numbers() == Array(1...40))
        let statistics = tested.statistics()
        // The one that kept the lane busy, and the joined ones.
        #expect(statistics.commits == 2)
        #expect(statistics.transactions == 41)
    }

    @Test func `a blind transaction that is refused takes no other one with it`() async throws {
        try await insert(7)
        #expect(await insertBlind(1...10) == [7: .duplicate])
        #expect(try await numbers() == Array(1...10))
    }

    /// Begins a transaction that counts at a tally.
    /// - Returns: the transaction ends when it is signalled.
    private func holdTally(
        in shared: PostgresDatabase,
        atEnd: @escaping @Sendable (any Connection) throws(StorageFault) -> Void = { _ in }
    ) async -> DispatchSemaphore {
        let (gate, hasEntered) = (DispatchSemaphore(value: 0), Locked(false))
        shared.database.submit { (connection) throws(StorageFault) in
            try connection.beginCounting(at: [[7]])
            hasEntered.withLock { $0 = true }
            gate.wait()
            try atEnd(connection)
        }
        while !hasEntered.withLock(\.self) { await Task.yield() }
        return gate
    }

    /// Inserts the numbers by transactions that count at a tally, while another one, which inserts 0, counts there.
    /// - Returns: the faults, by number.
    private func insertCounting(_ numbers: ClosedRange<Int>, in shared: PostgresDatabase) async -> [Int: StorageFault] {
        let gate = await holdTally(in: shared) { (connection) throws(StorageFault) in try Self.insert(0, on: connection)
        }
        return await withTaskGroup(of: (Int, StorageFault?).self) { group in
            for number in numbers {
                group.addTask {
                    do throws(StorageFault) {
                        try await shared.database.transaction { (connection) throws(StorageFault) in
                            try connection.beginCounting(at: [[7]])
                            try Self.insert(number, on: connection)
                        }
                        return (number, nil)
                    } catch { return (number, error) }
                }
            }
            // Each one has found the tally in use, and waits for it.
            while shared.statistics().runsAgain[.tally] != numbers.count || shared.statistics().waiting < numbers.count
            {
                await Task.yield()
            }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `transactions that wait for the same tally share a commit`() async throws {
        let shared = PostgresDatabase(address, server: 2, lanes: 3, uptime: { 0 })
        #expect(await insertCounting(1...10, in: shared).isEmpty)
        #expect(try await numbers() == Array(0...10))
        // The one that they waited for, and the joined ones.
        #expect(shared.statistics().commits == 2)
        #expect(shared.statistics().transactions == 11)
        await shared.close()
    }

    @Test func `at most sixteen transactions of a tally share a commit`() async throws {
        let shared = PostgresDatabase(address, server: 2, lanes: 2, uptime: { 0 })
        #expect(await insertCounting(1...33, in: shared).isEmpty)
        #expect(shared.statistics().commits == 4)
        await shared.close()
    }

    @Test func `a transaction of a tally that is refused takes no other one with it`() async throws {
        let shared = PostgresDatabase(address, server: 2, lanes: 3, uptime: { 0 })
        try await insert(4)
        #expect(await insertCounting(1...6, in: shared) == [4: .duplicate])
        #expect(try await numbers() == Array(0...6))
        await shared.close()
    }

    @Test func `transactions of other tallies do not wait`() async throws {
        let shared = PostgresDatabase(address, server: 2, lanes: 2, uptime: { 0 })
        let gate = await holdTally(in: shared)
        try await shared.database.transaction { (connection) throws(StorageFault) in
            try connection.beginCounting(at: [[8]])
            try Self.insert(1, on: connection)
        }
        #expect(try await numbers() == [1])
        gate.signal()
        await shared.close()
    }

    @Test func `a joined transaction reads what the one before it has changed`() async throws {
        let shared = PostgresDatabase(address, server: 2, lanes: 3, uptime: { 0 })
        try await insert(0, "0")
        let gate = await holdTally(in: shared)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...5 {
                group.addTask {
                    try await shared.database.transaction { (connection) throws(StorageFault) in
                        try connection.beginCounting(at: [[7]])
                        // A read that was sent ahead and that was not asked for must not serve the next transaction.
                        try connection.readAhead { (ahead) throws(StorageFault) in _ = try Self.word(ahead) }
                        try connection.readAhead { (ahead) throws(StorageFault) in
                            _ = try ahead.all(SQL.all) { (row) throws(StorageFault) in try row.integer("number") }
                        }
                        let count = try Self.word(connection).flatMap { Int($0) } ?? 100
                        try connection.run(SQL.rename) {
                            $0.integer(0)
                            $0.text(String(count + 1))
                        }
                        try Self.insert(count + 1, "b", on: connection)
                    }
                }
            }
            while shared.statistics().runsAgain[.tally] != 5 || shared.statistics().waiting < 5 { await Task.yield() }
            gate.signal()
            try await group.waitForAll()
        }
        #expect(shared.statistics().commits == 2)
        #expect(try await numbers() == Array(0...5))
        await shared.close()
    }

    private static func word(_ connection: any Connection) throws(StorageFault) -> String? {
        try connection.first(SQL.find, { $0.integer(0) }) { (row) throws(StorageFault) in
            try row.optionalText("word")
        } ?? nil
    }

    @Test func `a read needs a commit that began in the second before it`() async throws {
        let time = Locked<UInt64>(0)
        let timed = PostgresDatabase(address, server: 2, lanes: 1, uptime: { time.withLock(\.self) })
        func commits(at milliseconds: UInt64, writing: Bool = false) async throws(StorageFault) -> Int {
            time.withLock { $0 = milliseconds * 1_000_000 }
            if writing {
                try await timed.database.transaction { (_) throws(StorageFault) in }
            } else {
                _ = try await timed.time()
            }
            return timed.statistics().transactions
        }
        #expect(try await commits(at: 0) == 1)
        #expect(try await commits(at: 999) == 1)
        #expect(try await commits(at: 1000) == 2)
        #expect(try await commits(at: 1500, writing: true) == 3)
        #expect(try await commits(at: 2499) == 3)
        #expect(try await commits(at: 2500) == 4)
        await timed.close()
    }

    @Test func `a primary that acknowledges no commit answers no read`() async throws {
        let lanes = PostgresLanes(
            address, server: 2, waits: [], limits: StorageLimits(), connections: CutOffConnection.self, uptime: { 0 },
            onFatal: { _ in })
        let cutOff = PostgresDatabase(
            lanes, lanes: 1, limits: StorageLimits(), home: { nil }, uptime: { 0 }, place: nil)
        await #expect(throws: StorageFault.overloaded) { try await cutOff.time() }
        await cutOff.close()
    }

    /// A primary that lost its standby: it answers statements, and the answer to COMMIT does not come.
    private final class CutOffConnection: PostgresConnection {
        private var isReading = false

        override func begin(_ plan: TransactionPlan) throws(PostgresFailure) {
            isReading = plan.isReading
            try super.begin(plan)
        }

        override func commit() throws(PostgresFailure) {
            guard isReading else { throw .lost("COMMIT") }
            try super.commit()
        }
    }

    @Test func `counts the rows of the last statement and of all`() async throws {
        for number in 1...3 { try await insert(number) }
        let (changes, total) = try await database.transaction { (connection) throws(StorageFault) in
            let before = connection.totalChanges
            try Self.insert(4, on: connection)
            try connection.run(SQL.rename) {
                $0.integer(2)
                $0.text("b")
            }
            let changes = connection.changes
            _ = try connection.all(SQL.all) { (row) throws(StorageFault) in try row.integer("number") }
            return (changes, connection.totalChanges - before)
        }
        #expect(changes == 3)
        #expect(total == 4)
    }

    @Test func `takes back all changes of a transaction that throws`() async throws {
        await #expect(throws: StorageFault.corrupt(what: "a test")) {
            try await database.transaction { (connection) throws(StorageFault) in
                try Self.insert(1, on: connection)
                throw .corrupt(what: "a test")
            }
        }
        try await insert(2)
        #expect(try await numbers() == [2])
    }

    @Test func `throws the failure of a statement that it did not wait for at the commit`() async throws {
        try await insert(1)
        await #expect(throws: StorageFault.duplicate) {
            try await database.transaction { (connection) throws(StorageFault) in
                try Self.insert(2, on: connection)
                try Self.insert(1, on: connection)
            }
        }
        await #expect(throws: StorageFault.duplicate) {
            try await database.transaction { (connection) throws(StorageFault) in
                try Self.insert(1, on: connection)
                _ = connection.changes
                try Self.insert(3, on: connection)
            }
        }
        #expect(try await numbers() == [1])
    }

    @Test func `a body that ignores a failure does not commit`() async throws {
        await #expect(throws: StorageFault.self) {
            try await database.transaction { (connection) throws(StorageFault) in
                try Self.insert(1, on: connection)
                _ = try? connection.first(SQL.badTable) { (row) throws(StorageFault) in try row.integer("one") }
            }
        }
        #expect(try await numbers() == [])
    }

    @Test func `prepares a statement again when the transaction failed before it was prepared`() async throws {
        for _ in 1...2 {
            await #expect(throws: StorageFault.self) {
                try await database.transaction { (connection) throws(StorageFault) in
                    try connection.run(SQL.badTable)
                    try Self.insert(1, on: connection)
                }
            }
        }
        try await insert(1)
        #expect(try await numbers() == [1])
    }

    @Test func `sends and receives more than the buffers of a socket hold`() async throws {
        let bytes = [UInt8](repeating: 9, count: 1 << 20)
        try await database.transaction { (connection) throws(StorageFault) in
            for number in 0..<24 { try Self.insert(number, "a", bytes, on: connection) }
        }
        let sizes = try await database.read { (connection) throws(StorageFault) in
            try connection.all("SELECT bytes FROM words") { (row) throws(StorageFault) in try row.blob("bytes").count }
        }
        #expect(sizes == [Int](repeating: 1 << 20, count: 24))
    }

    @Test(arguments: [
        ("words_word_check; INSERT", "23514", 1, "a word that is too long"), ("INSERT", "22021", 2, "nul \0"),
    ])
    func `a fault has the state, the constraint and the statement, and no value`(
        words: String, state: String, number: Int, word: String
    ) async throws {
        do throws(StorageFault) {
            try await insert(number, word)
            Issue.record("no fault")
        } catch {
            #expect("\(error)".hasPrefix("SQLSTATE \(state): \(words)"), "\(error)")
            #expect(!"\(error)".contains(word))
        }
    }

    @Test func `runs a transaction again on a new connection after the server has ended the old one`() async throws {
        try await insert(1)
        let runs = Locked(0)
        try await database.transaction { (connection) throws(StorageFault) in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 1 { try connection.run("SELECT pg_terminate_backend(pg_backend_pid())") }
            try Self.insert(2, on: connection)
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(try await numbers() == [1, 2])
    }

    @Test func `prepares its statements again on a new connection when they are gone`() async throws {
        try await insert(1)
        for change in [SQL.forgetPrepared, SQL.changeColumns] {
            _ = try await numbers()
            try await database.transaction { (connection) throws(StorageFault) in try connection.run(change) }
            let before = tested.statistics().connections
            #expect(try await numbers().count == 1)
            #expect(tested.statistics().connections == before + 1)
        }
    }

    @Test func `runs a transaction again that lost a deadlock`() async throws {
        try await insert(1)
        try await insert(2)
        let other = PostgresDatabase(address, server: 2, lanes: 1, uptime: { 0 })
        // In their first runs both transactions have locked one row before they ask for the other one.
        let locked = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let runs = Locked([0, 0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, database) in [database, other.database].enumerated() {
                group.addTask {
                    try await database.transaction { (connection) throws(StorageFault) in
                        let run = runs.withLock { runs in
                            runs[place] += 1
                            return runs[place]
                        }
                        try Self.lock(1 + place, connection)
                        if run == 1 {
                            locked[1 - place].signal()
                            locked[place].wait()
                        }
                        try Self.lock(2 - place, connection)
                    }
                }
            }
            try await group.waitForAll()
        }
        // The one that lost may take its first row again before the other one gets it. Then there is another deadlock.
        #expect(runs.withLock { $0[0] + $0[1] } > 2)
        await other.close()
    }

    private static func lock(_ number: Int, _ connection: any Connection) throws(StorageFault) {
        _ = try connection.first("SELECT number FROM words WHERE number = ?1 FOR UPDATE") {
            $0.integer(number)
        } _: { (row) throws(StorageFault) in
            try row.integer("number")
        }
    }

    @Test func `refuses what comes after the close`() async throws {
        try await insert(1)
        await tested.close()
        await tested.close()
        await #expect(throws: StorageFault.failed(code: 0, operation: "closed")) { try await insert(2) }
    }

    @Test func `a transaction fails when there is no database`() async throws {
        let nowhere = PostgresDatabase(
            PostgresAddress("postgresql://holdfast@127.0.0.1:1/holdfast"), waits: [], uptime: { 0 })
        await #expect(throws: StorageFault.overloaded) { try await nowhere.probe() }
        let statistics = nowhere.statistics()
        #expect(statistics.refusals == [.unreachable: 1])
        #expect(statistics.reasonUnreachable?.contains("Connection refused") == true)
        #expect(nowhere.expectedWait(behind: 0) > 1_000_000_000_000)
        await nowhere.close()
    }
}
