import Administration
import Clocks
import Foundation
import Sandbox
import Engine
import Possession
import Testing

@testable import Observation
@testable import SQLiteStorage
@testable import Storage
@testable import Wiring

/// DUR-13: a clock that was far ahead in the last run, with and without `--accept-clock`.
@Suite struct AcceptClockTests {
    private let configuration: Configuration
    private let clocks = HandClocks()
    private let ahead: Timestamp

    init() throws {
        configuration = try ServerFixture.configuration(ServerFixture.freshDirectory())
        ahead = HandClocks.start.adding(.seconds(365 * 86_400))
    }

    /// One run on the data, which ends in good order; where its clock begins.
    private func run(acceptsClock: Bool = false) async throws -> (began: Timestamp, mark: Timestamp?) {
        let clock = clocks.clock()
        var consent = StartConsent()
        consent.clock = acceptsClock
        let store = try await Store.open(configuration, clock: clock, consent: consent)
        let began = store.now()
        await store.close()
        return (began, store.clockMark)
    }

    @Test func `goes on from the latest time, unless the machine's clock is accepted, and then for good`() async throws
    {
        clocks.jump(365 * 86_400)
        let wrong = try await run()
        #expect(wrong.began == ahead && wrong.mark == nil)
        clocks.jump(-365 * 86_400)

        let forwarded = try await run()
        #expect(forwarded.mark == ahead)
        #expect(forwarded.began >= ahead && forwarded.began < ahead.adding(.seconds(10)))

        let accepted = try await run(acceptsClock: true)
        #expect(accepted.began == HandClocks.start)
        // For whoever removes things by time: there was a jump.
        #expect((accepted.mark ?? HandClocks.start) >= ahead)

        let next = try await run()
        #expect(next.began >= HandClocks.start && next.began < HandClocks.start.adding(.seconds(10)))
    }

    /// The data as a crash leaves it: nothing was stored at the end.
    private func crashed(_ configuration: Configuration) throws -> Configuration {
        let copy = ServerFixture.freshDirectory()
        try FileManager.default.copyItem(atPath: configuration.data.directory, toPath: copy)
        return try ServerFixture.configuration(copy)
    }

    @Test func `twenty crashes leave the server at the machine's time, and what was told is not told again`()
        async throws
    {
        var configuration = configuration
        for _ in 0..<20 {
            let clock = clocks.clock()
            let store = try await Store.open(configuration, clock: clock)
            #expect(clock.leadMilliseconds == 0)
            let told = store.now()
            try await store.database.transaction { _ in }
            configuration = try crashed(configuration)
            clocks.pass(.seconds(1))
            await store.close()
            #expect(told < clocks.wall)
        }
        // Set back while the server was down: time goes on from what was told.
        let last = clocks.wall
        clocks.jump(-60)
        let clock = clocks.clock()
        let store = try await Store.open(configuration, clock: clock)
        #expect(store.now() >= last.adding(.seconds(-1)) && store.now() <= last)
        await store.close()
    }

    @Test func `a start that cannot read the time of the last run leaves it as it is`() async throws {
        _ = try await run()
        let directory = try DataDirectory(configuration.data.directory)
        let database = try SQLiteDatabase(
            .directory(directory), migrations: configuration.data.migrations, now: HandClocks.start, onFatal: { _ in })
        try await database.database.transaction { (connection) throws(StorageFault) in
            try ClockMarkTable.save(ClockMark(latest: Timestamp(milliseconds: -1)), connection)
        }
        await database.close()
        // The second would begin with the machine's clock if the first had stored it.
        for _ in 0..<2 { await #expect(throws: StartFault.self) { try await run() } }
    }

    @Test func `a server with it leaves a mark of the right time`() async throws {
        let store = try await Store.open(configuration, clock: ForwardClock(wall: { [ahead] in ahead }))
        _ = store.now()
        await store.close()
        var consent = StartConsent()
        consent.clock = true
        let pipe = LogTests.Pipe()
        let sink = LogSink(descriptor: pipe.write)
        let server = try await Assembly(configuration, sink: sink, consent: consent) { Issue.record("failed: \($0)") }
        _ = try server.start()
        await server.shutDown(notice: .zero)
        _ = pipe.contents()
        let again = try await Store.open(configuration)
        #expect(try #require(again.clockMark) < SystemClock.now().adding(.seconds(60)))
        await again.close()
    }
}
