import Clocks
import Locks
import Logging
import Engine
import Possession
import SQLiteStorage
import Storage
import Testing

@testable import Wiring

/// When the whole database is read, and what follows from what was found.
@Suite struct IntegrityWatchTests {
    private let start = Timestamp(seconds: 1_800_000_000)
    private let clock = Locked(Timestamp(seconds: 1_800_000_000))
    private let checks = Locked(0)
    private let finding = Locked(IntegrityFinding.sound)
    private let reads = Locked(0)

    private func watch(checkedAt: Timestamp?) -> IntegrityWatch {
        IntegrityWatch(
            checkedAt: checkedAt, wall: { [clock] in clock.withLock { $0 } }, logger: Logger(label: "test"),
            damagedReads: { [reads] in reads.withLock { $0 } },
            check: { [checks, finding] () throws(StorageFault) in
                checks.withLock { $0 += 1 }
                return finding.withLock { $0 }
            })
    }

    private func count(_ watch: IntegrityWatch, after seconds: Int) async -> Int {
        clock.withLock { $0 = start.adding(.seconds(seconds)) }
        await watch.checkIfDue()
        return checks.withLock { $0 }
    }

    @Test func `checks at once when the last check is unknown, and then a day later`() async {
        let watch = watch(checkedAt: nil)
        #expect(await count(watch, after: 0) == 1)
        #expect(await count(watch, after: 86_399) == 1)
        #expect(await count(watch, after: 86_400) == 2)
        #expect(!watch.isDamaged)
    }

    @Test func `does not check when the last one passed within a day`() async {
        let watch = watch(checkedAt: start.adding(.seconds(-3600)))
        #expect(await count(watch, after: 0) == 0)
        #expect(await count(watch, after: 86_400 - 3600) == 1)
    }

    @Test func `does not believe a check of the future`() async {
        #expect(await count(watch(checkedAt: start.adding(.seconds(1))), after: 0) == 1)
    }

    @Test func `a check that was ended early is made again, and damage lasts until a sound one`() async {
        let watch = watch(checkedAt: nil)
        finding.withLock { $0 = .cancelled }
        #expect(await count(watch, after: 0) == 1)
        finding.withLock { $0 = .damaged("sessions: a page") }
        #expect(await count(watch, after: 60) == 2)
        #expect(watch.isDamaged)
        #expect(await count(watch, after: 120) == 2)
        finding.withLock { $0 = .sound }
        #expect(await count(watch, after: 60 + 86_400) == 3)
        #expect(!watch.isDamaged)
    }

    @Test func `a damaged page that a request meets is damage at once, has all read, and lasts until that finds none`()
        async
    {
        let watch = watch(checkedAt: start)
        #expect(await count(watch, after: 0) == 0)
        reads.withLock { $0 = 1 }
        #expect(watch.isDamaged)
        finding.withLock { $0 = .damaged("page 7") }
        #expect(await count(watch, after: 60) == 1)
        // It is known now. More reads that meet it say nothing new.
        reads.withLock { $0 = 9 }
        #expect(await count(watch, after: 120) == 1)
        #expect(watch.isDamaged)
        finding.withLock { $0 = .sound }
        #expect(await count(watch, after: 60 + 86_400) == 2)
        #expect(!watch.isDamaged)
        // Only read wrong, as by a bad cable.
        reads.withLock { $0 = 10 }
        #expect(watch.isDamaged)
        #expect(await count(watch, after: 120 + 86_400) == 3)
        #expect(!watch.isDamaged)
    }

    @Test func `damage makes the server say that it is not ready`() async throws {
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory())
        try await ServerFixture.withServer(configuration) { server, port in
            let status = try ServerFixture.call(port, "GET", "/readyz").status
            #expect(status == 200)
            #expect(server.integrity?.isDamaged == false)
        }
        let store = try await Store.open(configuration)
        let readiness = Readiness(
            store.watched, signs: { true }, isDamaged: { true }, isDraining: Locked(false),
            logger: Logger(label: "test"), wall: { SystemClock.now() })
        #expect(await readiness.reason() == "the database is damaged")
        await store.close()
    }
}
