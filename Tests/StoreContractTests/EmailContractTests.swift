import Engine
import Possession
import TestSupport
import Testing

/// Sessions that are about an e-mail address.
@Suite struct EmailContractTests {
    private static let ada = EmailAddress("Ada@example.com")!

    /// By another case than the session was started with.
    private static let key = SessionKey.target(.email(EmailAddress("ADA@Example.COM")!))

    private static func fence(_ client: ClientID = Sample.client) -> SessionFence {
        SessionFence(client, Sample.product)
    }

    @Test(arguments: TestedStore.allCases)
    func `is found by its address in any case, and not by a number`(store: TestedStore) async throws {
        let sessions = try store.make().sessions
        let session = Sample.session(mailbox: Self.ada, isFoundByNumber: true)
        let other = Sample.session(
            at: Sample.now.adding(.seconds(1)), mailbox: EmailAddress("bob@example.com"), isFoundByNumber: true)
        let number = Sample.session(at: Sample.now.adding(.seconds(2)), isFoundByNumber: true)
        for session in [session, other, number] { try await sessions.insert(session) }
        #expect(try await sessions.session(Self.key, in: Self.fence()) == session.asStored)
        #expect(try await sessions.session(Self.key, in: Self.fence(Sample.other)) == nil)
        let found = try await sessions.sessions(
            of: Sample.client, product: Sample.product, target: .email(Self.ada), before: nil, most: 10)
        #expect(found == [session.asStored])
        let all = try await sessions.sessions(
            of: Sample.client, product: Sample.product, target: nil, before: nil, most: 10)
        #expect(all.map(\.correlationID) == [number, other, session].map(\.correlationID))
    }

    @Test(arguments: TestedStore.allCases)
    func `a proven address is nobody's identity`(store: TestedStore) async throws {
        let stores = try store.make()
        let session = Sample.session(mailbox: Self.ada)
        try await stores.sessions.insert(session)
        _ = try await stores.sessions.update(session) { change in
            change.session.complete(success: true, numberIfUnknown: nil, at: Sample.now, rules: Sample.rules)
        }
        let stored = try #require(try await stores.sessions.session(.auth(session.authID)))
        #expect(stored.proof?.target == .email(Self.ada) && stored.holderID == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `erases all that belongs to an address, everywhere or at one tenant`(store: TestedStore) async throws {
        for tenant in [nil, Sample.client] {
            let stores = try store.make()
            let own = Sample.session(mailbox: Self.ada, isFoundByNumber: true)
            let foreign = Sample.session(mailbox: Self.ada, of: Sample.other)
            let stranger = Sample.session(mailbox: EmailAddress("bob@example.com"))
            let number = Sample.session()
            for session in [own, foreign, stranger, number] { try await stores.sessions.insert(session) }
            let limit = LimitKey(.wrongCodes, .email(Self.ada), of: Sample.client)
            var lookup = ChangeInputs()
            lookup.limitKeys = { _, _ in [limit] }
            let id: MessageID = Sample.id()
            _ = try await stores.sessions.update(own, lookup) { change in
                let message = Session.PendingMessage(
                    to: .email(Self.ada), content: .code(OTP("1234")!, digest: Sample.right, after: .idle),
                    place: .again, usefulUntil: Sample.now.adding(.seconds(60)), sendsLeft: 1, triesLeft: 1)
                change.message = OutboundMessage(id: id, correlationID: own.correlationID, pending: message)
            }
            let erased = try await stores.erasures.erase(.email(EmailAddress("ADA@example.com")!), at: tenant)
            let gone = tenant == nil ? [own, foreign] : [own]
            #expect(Set(erased.sessions.map(\.authID)) == Set(gone.map(\.authID)))
            #expect(erased.data.sessions == gone.count && erased.data.identities == 0)
            for session in gone { #expect(try await stores.sessions.session(.auth(session.authID)) == nil) }
            for session in [stranger, number] {
                #expect(try await stores.sessions.session(.auth(session.authID)) != nil)
            }
            #expect(try await stores.sessions.session(Self.key, in: Self.fence()) == nil)
            #expect(try await stores.outbox.takeQueued(limit: 10).messages.isEmpty)
        }
    }
}
