import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The promises of the ports about the fences around sessions.
@Suite struct SessionFenceContractTests {
    private static let elsewhere = ProductName("another")!

    /// A session with a key of every kind, stored.
    private static func linked(_ sessions: any SessionStore) async throws -> Session {
        let session = try Sample.linking(flow: FlowDigest([1]))
        try await sessions.insert(session)
        for byte: UInt8 in 1...2 {
            _ = try await sessions.update(session) { change in
                Sample.send(byte, &change, at: Sample.now.adding(.seconds(60 * Int64(byte))))
            }
        }
        return try #require(try await sessions.session(.auth(session.authID)))
    }

    private static func keys(of session: Session) -> [SessionKey] {
        [
            .correlation(session.correlationID), .auth(session.authID), .flow(FlowDigest([1])),
            .link(Sample.digest(1)), .link(Sample.digest(2)), .target(.number(Sample.number)),
        ]
    }

    @Test(arguments: TestedStore.allCases)
    func `a session is found inside of its fence only, by whatever key`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = try await Self.linked(sessions)
        let outside = [
            SessionFence(Sample.other, Sample.product), SessionFence(Sample.client, Self.elsewhere),
            SessionFence(Sample.other, Self.elsewhere),
        ]
        for key in Self.keys(of: session) {
            #expect(try await sessions.session(key, in: session.fence) == session, "\(key)")
            for fence in outside {
                #expect(try await sessions.session(key, in: fence) == nil, "\(key)")
                let changed = try await sessions.update(key, in: fence, ChangeInputs(), freshHolderID: Sample.id()) {
                    $0.session.cancel(at: Sample.now)
                    return true
                }
                #expect(changed == nil, "\(key)")
            }
        }
        #expect(try await sessions.session(.auth(session.authID)) == session)
    }

    @Test(arguments: TestedStore.allCases)
    func `a wider fence has the sessions of all its tenants and products`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = try await Self.linked(sessions)
        let key = SessionKey.link(Sample.digest(1))
        let around = [
            SessionFence.all, SessionFence(tenant: Sample.client), SessionFence(products: [Sample.product]),
            SessionFence(products: [Self.elsewhere, Sample.product]),
        ]
        for fence in around { #expect(try await sessions.session(key, in: fence) == session) }
        let beside = [
            SessionFence(tenant: Sample.other), SessionFence(products: [Self.elsewhere]), SessionFence(products: []),
        ]
        for fence in beside { #expect(try await sessions.session(key, in: fence) == nil) }
    }

    @Test(arguments: TestedStore.allCases)
    func `uses up no proof of a call from outside of the fence`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = Sample.session()
        try await sessions.insert(session)
        var lookup = ChangeInputs()
        lookup.proof = Sample.proof(1)
        let key = SessionKey.auth(session.authID)
        let outside = SessionFence(products: [Self.elsewhere])
        #expect(
            try await sessions.update(key, in: outside, lookup, freshHolderID: Sample.id()) { $0.proof } == nil)
        #expect(try await sessions.update(key, lookup, freshHolderID: Sample.id()) { $0.proof } == .new)
    }
}
