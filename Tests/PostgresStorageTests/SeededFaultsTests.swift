import Engine
import Foundation
import Locks
import PostgresTestSupport
import Storage
import Testing

@testable import PostgresStorage

/// Several lanes, while each connection ends at some byte, transactions fail as by a deadlock, and commits come with a
/// warning, all by a seed. Acknowledged changes are stored once, refused ones are not stored, and no transaction undoes a
/// change of another one.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct SeededFaultsTests {
    private enum SQL {
        static let count: Statement = "SELECT count FROM counters WHERE number = ?1"
        static let setCount: Statement = "UPDATE counters SET count = ?2 WHERE number = ?1"
        static let sum: Statement = "SELECT sum(count)::bigint FROM counters"
        static let note: Statement = "INSERT INTO done (number) VALUES (?1)"
        static let done: Statement = "SELECT number FROM done"
        static let disturb: Statement = "SELECT disturb(?1)"
    }

    private static let tables = """
        CREATE TABLE counters (number bigint PRIMARY KEY, count bigint NOT NULL);
        INSERT INTO counters SELECT number, 0 FROM generate_series(0, 3) AS number;
        CREATE TABLE done (number bigint NOT NULL);
        CREATE TABLE warned (number bigint);
        CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE WARNING 'of a test'; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER warned AFTER INSERT ON warned
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn();
        CREATE FUNCTION disturb(kind bigint) RETURNS void LANGUAGE plpgsql AS
          $$ BEGIN
            IF kind = 0 THEN RAISE EXCEPTION 'of a test' USING ERRCODE = '40P01'; END IF;
            IF kind = 1 THEN INSERT INTO warned VALUES (1); END IF;
          END $$;
        """

    /// Numbers that depend on a seed and a place only.
    private static func draw(_ seed: Int, _ place: Int, below bound: Int) -> Int {
        // SplitMix64.
        var mixed = UInt64(truncatingIfNeeded: seed &* 1_000_003 &+ place) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    private enum Outcome {
        case acknowledged, refused, unknown
    }

    @Test(arguments: 1...8)
    func `what was acknowledged is stored once, and nothing else`(seed: Int) async throws {
        let schema = try TestedPostgres.makeSchema(Self.tables)
        var parts = try #require(URLComponents(string: schema))
        let wire = try CutWire(to: UInt16(try #require(parts.port))) { connection in
            CutWire.Cut(
                direction: Self.draw(seed, 2 * connection, below: 2) == 0 ? .toServer : .toClient,
                bytes: Self.draw(seed, 2 * connection + 1, below: 9000))
        }
        parts.port = Int(wire.port)
        let tested = PostgresDatabase(
            PostgresAddress(try #require(parts.string)), lanes: 4, waits: Array(repeating: .zero, count: 4),
            uptime: { 0 })
        let outcomes = await withTaskGroup(of: [Int: Outcome].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var outcomes: [Int: Outcome] = [:]
                    for turn in 0..<25 {
                        let number = 25 * task + turn
                        outcomes[number] = await Self.change(number, seed, tested.database)
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        let statistics = tested.statistics()
        await tested.close()
        wire.close()
        #expect(statistics.lostConnections > 0)
        #expect(statistics.runsAgain[.deadlock, default: 0] > 0)
        try await check(outcomes, at: schema)
    }

    /// Adds one to two counters.
    private static func change(_ number: Int, _ seed: Int, _ database: Database) async -> Outcome {
        let first = Int64(draw(seed, 4 * number, below: 4))
        let second = (first + 1 + Int64(draw(seed, 4 * number + 1, below: 3))) % 4
        let runs = Locked(0)
        do throws(StorageFault) {
            try await database.transaction { (connection) throws(StorageFault) in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                for counter in [first, second].sorted() {
                    let count = try connection.first(SQL.count.locking) {
                        $0.integer(counter)
                    } _: { (row) throws(StorageFault) in
                        try row.integer("counters.count")
                    }
                    try connection.run(SQL.setCount) {
                        $0.integer(counter)
                        $0.integer((count ?? 0) + 1)
                    }
                }
                try connection.run(SQL.note) { $0.integer(number) }
                // Half of all runs are disturbed in no way.
                try connection.run(SQL.disturb) { $0.integer(draw(seed, 100 * number + run, below: 4)) }
            }
            return .acknowledged
        } catch { return error == .overloaded ? .refused : .unknown }
    }

    private func check(_ outcomes: [Int: Outcome], at schema: String) async throws {
        let direct = PostgresDatabase(PostgresAddress(schema), server: 2, lanes: 1, uptime: { 0 })
        let (done, sum) = try await direct.database.read { (connection) throws(StorageFault) in
            let done = try connection.all(SQL.done) { (row) throws(StorageFault) in Int(try row.integer("number")) }
            let sum = try connection.first(SQL.sum, { _ in }) { (row) throws(StorageFault) in try row.integer("sum") }
            return (done, sum)
        }
        await direct.close()
        let stored = Set(done)
        #expect(done.count == stored.count)
        #expect(sum == Int64(2 * done.count))
        for (number, outcome) in outcomes {
            switch outcome {
            case .acknowledged: #expect(stored.contains(number), "\(number) was acknowledged")
            case .refused: #expect(!stored.contains(number), "\(number) was refused")
            case .unknown: break
            }
        }
        #expect(outcomes.values.contains(.acknowledged))
    }
}
