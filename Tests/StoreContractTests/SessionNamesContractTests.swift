import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The promises of the ports about the names that sessions are found by.
@Suite struct SessionNamesContractTests {
    private static let elsewhere = ProductName("another")!
    /// As a surface of a vendor would declare them.
    private static let code = SessionName.Kind("exchange-code")
    private static let process = SessionName.Kind("process", isShared: true)

    private static func name(_ kind: SessionName.Kind, _ byte: UInt8 = 1) -> SessionName {
        SessionName(kind, .digest([UInt8](repeating: byte, count: 32)))
    }

    /// A session with names of every kind, stored.
    private static func named(_ sessions: any SessionStore) async throws -> Session {
        let session = try Sample.linking(flow: FlowDigest([1]))
        try await sessions.insert(session)
        _ = try await sessions.update(session) { $0.names = [name(code), name(process)] }
        for byte: UInt8 in 1...2 {
            _ = try await sessions.update(session) { change in
                Sample.send(byte, &change, at: Sample.now.adding(.seconds(60 * Int64(byte))))
            }
        }
        return try #require(try await sessions.session(.auth(session.authID)))
    }

    private static func keys(of session: Session) -> [SessionKey] {
        let names: [SessionName] = [
            .flow(FlowDigest([1])), .link(Sample.digest(1)), .link(Sample.digest(2)), .target(.number(Sample.number)),
            name(code), name(process),
        ]
        return [.correlation(session.correlationID), .auth(session.authID)] + names.map { .named($0) }
    }

    @Test(arguments: TestedStore.allCases)
    func `a name finds its session inside of the fence only`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = try await Self.named(sessions)
        for key in Self.keys(of: session) {
            #expect(try await sessions.session(key, in: session.fence) == session, "\(key)")
            for fence in [SessionFence(Sample.other, Sample.product), SessionFence(Sample.client, Self.elsewhere)] {
                #expect(try await sessions.session(key, in: fence) == nil, "\(key)")
            }
        }
    }

    /// Each of these has the same shared names as the others.
    @Test(arguments: TestedStore.allCases)
    func `a shared name finds the newest session of a tenant and a product`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let owners = [
            (Sample.client, Sample.product), (Sample.client, Self.elsewhere), (Sample.other, Sample.product),
        ]
        var newest: [Session] = []
        for round in 0..<3 {
            newest = []
            for (client, product) in owners {
                let session = Sample.session(
                    at: Sample.now.adding(.seconds(Int64(round))), of: client, isFoundByNumber: true,
                    product: product.text)
                try await sessions.insert(session)
                _ = try await sessions.update(session) { $0.names = [Self.name(Self.process)] }
                newest.append(session.asStored)
            }
        }
        for (session, owner) in zip(newest, owners) {
            let fence = SessionFence(owner.0, owner.1)
            for name in [SessionName.target(.number(Sample.number)), Self.name(Self.process)] {
                #expect(try await sessions.session(.named(name), in: fence) == session)
            }
            #expect(try await sessions.session(.named(Self.name(Self.process, 2)), in: fence) == nil)
        }
        let all = try await sessions.sessions(
            of: Sample.client, product: Self.elsewhere, target: .number(Sample.number), before: nil, most: 10)
        #expect(all.map(\.createdAt.seconds) == (0..<3).map { Sample.now.seconds + 2 - $0 })
    }

    @Test(arguments: TestedStore.allCases)
    func `starts a session by a name that its rule gives it, and goes on with that one`(store: TestedStore) async throws
    {
        let sessions = try store.pair().map(\.sessions)
        let name = Self.name(Self.process)
        let started = try await sessions.race(50) { sessions, _ in
            try await sessions.findOrInsert(
                .named(name), new: Sample.session(), goesOn: { !$0.isDone }, ChangeInputs(), freshHolderID: Sample.id()
            ) { change in
                if change.isNew { change.names = [name] }
                return change.isNew
            }
        }
        #expect(started == 1)
        let foreign = try await sessions.first.findOrInsert(
            .named(name), new: Sample.session(product: Self.elsewhere.text), goesOn: { _ in true }, ChangeInputs(),
            freshHolderID: Sample.id()
        ) { $0.isNew }
        #expect(foreign, "the session of another product does not go on")
    }

    @Test(arguments: TestedStore.allCases)
    func `a name that is not shared is of one session of all`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let first = try await Self.named(sessions)
        let taken = Sample.session(of: Sample.other, flow: FlowDigest([1]), product: "another")
        await #expect(throws: StorageFault.duplicate) { try await sessions.insert(taken) }
        let second = try Sample.linking(of: Sample.other, product: Self.elsewhere)
        try await sessions.insert(second)
        await #expect(throws: StorageFault.duplicate) {
            _ = try await sessions.update(second) { $0.names = [Self.name(Self.code)] }
        }
        await #expect(throws: StorageFault.duplicate) {
            _ = try await sessions.update(second) { Sample.send(1, &$0) }
        }
        #expect(try await sessions.session(.auth(second.authID)) == second.asStored, "the change is taken back")
        for key in [SessionKey.link(Sample.digest(1)), .flow(FlowDigest([1])), .named(Self.name(Self.code))] {
            #expect(try await sessions.session(key) == first)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `gives a name to one of many sessions that ask for it at the same time`(store: TestedStore) async throws {
        let sessions = try store.pair().map(\.sessions)
        let all = (0..<20).map { _ in Sample.session() }
        for session in all { try await sessions.first.insert(session) }
        let holders = try await sessions.callAtOnce(all.count) { sessions, number -> AuthID? in
            do throws(StorageFault) {
                _ = try await sessions.update(all[number]) { $0.names = [Self.name(Self.code)] }
                return all[number].authID
            } catch {
                guard error == .duplicate else { throw error }
                return nil
            }
        }.compactMap { $0 }
        #expect(holders.count == 1)
        #expect(try await sessions.first.session(.named(Self.name(Self.code)))?.authID == holders.first)
    }

    @Test(arguments: TestedStore.allCases)
    func `the names of a session go with it, and another may have them then`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let first = try await Self.named(sessions)
        _ = try await sessions.sweep(sessionsBefore: Sample.now.adding(.seconds(1)), now: Sample.now)
        for key in Self.keys(of: first) { #expect(try await sessions.session(key, in: first.fence) == nil) }
        let later = Sample.session(
            at: Sample.now.adding(.seconds(2)), flow: FlowDigest([1]), isFoundByNumber: true)
        try await sessions.insert(later)
        _ = try await sessions.update(later) { $0.names = [Self.name(Self.code), Self.name(Self.process)] }
        for key in Self.keys(of: later) where key != .link(Sample.digest(1)) && key != .link(Sample.digest(2)) {
            #expect(try await sessions.session(key, in: later.fence)?.authID == later.authID, "\(key)")
        }
    }
}
