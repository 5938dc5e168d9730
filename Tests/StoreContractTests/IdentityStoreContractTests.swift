import Engine
import TestSupport
import Testing

@testable import Possession

/// The numbers of a store's tenants, and calls that enrol, prove and erase them.
struct Numbers {
    let identities: any IdentityStore
    let domains: any DomainStore
    private let sessions: any SessionStore
    private let erasures: any ErasureStore

    init(_ store: TestedStore) throws { self.init(try store.make()) }

    init(_ stores: Stores) {
        (identities, domains) = (stores.identities, stores.domains)
        (sessions, erasures) = (stores.sessions, stores.erasures)
    }

    static func number(_ index: Int) -> PhoneNumber { PhoneNumber(e164: "+1200100\(4000 + index)")! }

    static func fresh(_ count: Int, at now: Timestamp = Sample.now) -> [HolderID] {
        (0..<count).map { _ in Sample.id(at: now) as HolderID }.sorted()
    }

    func enrol(
        _ enrolments: [Enrolment], of client: ClientID = Sample.client, at now: Timestamp = Sample.now
    ) async throws -> [EnrolmentOutcome] {
        try await identities.enrol(enrolments, of: client, fresh: Self.fresh(enrolments.count, at: now), at: now)
    }

    func enrolled(_ index: Int, of client: ClientID = Sample.client) async throws -> HolderID {
        guard case .enrolled(let id)? = try await enrol([Enrolment(.number(Self.number(index)))], of: client).first
        else { throw StorageFault.corrupt(what: "not enrolled") }
        return id
    }

    /// A session that proves a number.
    func prove(_ number: PhoneNumber) async throws -> HolderID {
        let session = try Sample.redeemed(.otp)
        try await sessions.insert(session)
        _ = try await sessions.update(session) {
            $0.session.succeed(by: .otp, .number(number), at: Sample.now, rules: Sample.rules)
        }
        return try #require(try await sessions.session(.correlation(session.correlationID))?.holderID)
    }

    /// As the tenant's own call removes one.
    func remove(_ id: HolderID, of client: ClientID) async throws -> Bool {
        guard let number = try await identities.number(of: id, of: client) else { return false }
        return try await erasures.erase(.number(number), at: client).data.identities == 1
    }
}

/// The contract of every store of identities.
@Suite struct IdentityStoreContractTests {
    @Test(arguments: TestedStore.allCases)
    func `gives back every member`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let references = Identity.References(
            clientCustomerID: "c-1", clientHumanID: "h-1", deviceID: Sample.id() as DeviceID)
        let outcome = try await all.enrol([Enrolment(.number(Numbers.number(1)), references: references)])
        guard case .enrolled(let id)? = outcome.first else { return #expect(Bool(false)) }
        let identity = Identity(
            id: id, number: Numbers.number(1), isActive: true, createdAt: Sample.now, references: references)
        #expect(try await all.identities.identity(id, of: Sample.client) == identity)
        #expect(try await all.identities.identity(Numbers.number(1), of: Sample.client) == identity)
        #expect(try await all.identities.number(of: id, of: Sample.client) == Numbers.number(1))
        #expect(try await all.identities.identity(Numbers.number(2), of: Sample.client) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `enrolled again keeps id, time and what is not brought anew`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let id = try await all.enrolled(1)
        #expect(try await all.identities.setActive(false, id, of: Sample.client))
        let later = Sample.now.adding(.seconds(9))
        _ = try await all.enrol(
            [Enrolment(.number(Numbers.number(1)), references: .init(clientCustomerID: "c-1"))], at: later)
        let again = try await all.enrol(
            [Enrolment(.number(Numbers.number(1)), references: .init(clientHumanID: "h-1"))], at: later)
        #expect(again == [.enrolled(id)])
        let identity = try await all.identities.identity(id, of: Sample.client)
        #expect(identity?.createdAt == Sample.now && identity?.isActive == false)
        #expect(identity?.references == .init(clientCustomerID: "c-1", clientHumanID: "h-1"))
    }

    @Test(arguments: TestedStore.allCases)
    func `takes over the id of a number that was proven before, which is no identity by itself`(store: TestedStore)
        async throws
    {
        let all = try Numbers(store)
        let proven = try await all.prove(Numbers.number(1))
        #expect(try await all.identities.number(of: proven, of: Sample.client) == Numbers.number(1))
        #expect(try await all.identities.identity(proven, of: Sample.client) == nil)
        #expect(try await all.identities.identity(Numbers.number(1), of: Sample.client) == nil)
        #expect(
            try await all.identities.identities(of: Sample.client, after: nil, limit: 9, includingInactive: true) == [])
        #expect(try await !all.identities.setActive(true, proven, of: Sample.client))
        #expect(try await all.enrolled(1) == proven)
    }

    @Test(arguments: TestedStore.allCases)
    func `lists page by page in the order of ids, inactive ones on request`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let outcomes = try await all.enrol((0..<5).map { Enrolment(.number(Numbers.number($0))) })
        let ids = outcomes.compactMap { if case .enrolled(let id) = $0 { id } else { nil } }
        #expect(ids.count == 5 && ids == ids.sorted())
        #expect(try await all.identities.setActive(false, ids[1], of: Sample.client))
        func page(_ after: HolderID?, _ limit: Int, _ inactive: Bool) async throws -> [HolderID] {
            try await all.identities.identities(
                of: Sample.client, after: after, limit: limit, includingInactive: inactive)
        }
        #expect(try await page(nil, 9, false) == [ids[0], ids[2], ids[3], ids[4]])
        #expect(try await page(nil, 2, true) == [ids[0], ids[1]])
        #expect(try await page(ids[1], 2, true) == [ids[2], ids[3]])
        #expect(try await page(ids[1], 2, false) == [ids[2], ids[3]])
        #expect(try await page(ids[4], 2, true) == [])
        #expect(try await page(nil, 0, true) == [])
        #expect(try await all.remove(ids[2], of: Sample.client))
        // A page may begin behind one that is gone.
        #expect(try await page(ids[2], 9, true) == [ids[3], ids[4]])
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps tenants apart`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let (mine, theirs) = (try await all.enrolled(1), try await all.enrolled(1, of: Sample.other))
        #expect(mine != theirs)
        #expect(try await all.identities.identity(theirs, of: Sample.client) == nil)
        #expect(try await all.identities.number(of: theirs, of: Sample.client) == nil)
        #expect(try await !all.identities.setActive(false, theirs, of: Sample.client))
        #expect(try await !all.remove(theirs, of: Sample.client))
        #expect(
            try await all.identities.identities(of: Sample.client, after: nil, limit: 9, includingInactive: true) == [
                mine
            ]
        )
        #expect(try await all.enrol([Enrolment(.identity(theirs, at: nil))]) == [.unknownIdentity])
        #expect(try await all.remove(mine, of: Sample.client))
        #expect(try await all.identities.identity(theirs, of: Sample.other)?.isActive == true)
    }

    @Test(arguments: TestedStore.allCases)
    func `removed and enrolled again has another id and nothing of before`(store: TestedStore) async throws {
        let all = try Numbers(store)
        _ = try await all.enrol([
            Enrolment(
                .number(Numbers.number(1)), references: .init(clientCustomerID: "c-1"),
                attributes: [.init(name: "tier", value: "gold")])
        ])
        let id = try await all.enrolled(1)
        #expect(try await all.remove(id, of: Sample.client))
        #expect(try await !all.remove(id, of: Sample.client))
        #expect(try await all.identities.number(of: id, of: Sample.client) == nil)
        let again = try await all.enrolled(1)
        #expect(again != id)
        let identity = try await all.identities.identity(again, of: Sample.client)
        #expect(identity?.references == Identity.References())
        #expect(try await all.domains.attributes(of: again, of: Sample.client, fresh: Sample.id()) == [])
    }

    @Test(arguments: TestedStore.allCases)
    func `holds twenty attributes and refuses one more whole`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let attributes = (0..<20).map { IdentityAttribute(name: "a\($0)", value: "1") }
        let full = Enrolment(.number(Numbers.number(1)), attributes: attributes)
        let outcomes = try await all.enrol([full])
        #expect(outcomes != [.tooManyAttributes])
        let more = Enrolment(
            .number(Numbers.number(1)), references: .init(clientCustomerID: "c-2"),
            attributes: [.init(name: "b", value: "1")])
        let same = Enrolment(.number(Numbers.number(1)), attributes: [.init(name: "a3", value: "2")])
        let fresh = Enrolment(.number(Numbers.number(2)), attributes: attributes + [.init(name: "b", value: "1")])
        #expect(try await all.enrol([more, same, fresh]) == [.tooManyAttributes, outcomes[0], .tooManyAttributes])
        let identity = try await all.identities.identity(Numbers.number(1), of: Sample.client)
        #expect(identity?.references.clientCustomerID == nil)
        #expect(try await all.identities.identity(Numbers.number(2), of: Sample.client) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `gives sixteen racing enrolments of a number one id`(store: TestedStore) async throws {
        let pair = try store.pair().map { Numbers($0) }
        let ids = try await pair.callAtOnce(16) { all, _ in
            try await all.enrol([Enrolment(.number(Numbers.number(1)))]).first
        }
        #expect(ids.allSatisfy { $0 == ids[0] })
    }

}
