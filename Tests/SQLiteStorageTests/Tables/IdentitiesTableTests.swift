import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct IdentitiesTableTests {
    private static let other = ClientID("other")!
    private let database: Database
    private let identities: IdentitiesTable

    init() throws {
        database = try Fixture.database()
        identities = IdentitiesTable(database, sealing: Fixture.sealing)
    }

    private static func number(_ index: Int) -> PhoneNumber { PhoneNumber(e164: "+1200100\(4000 + index)")! }

    private static func fresh(_ count: Int, at now: Timestamp = Fixture.now) -> [HolderID] {
        (0..<count).map { _ in Fixture.id(at: now) as HolderID }.sorted()
    }

    private func enrol(
        _ enrolments: [Enrolment], of client: ClientID = Fixture.client, at now: Timestamp = Fixture.now
    ) async throws -> [EnrolmentOutcome] {
        try await identities.enrol(enrolments, of: client, fresh: Self.fresh(enrolments.count, at: now), at: now)
    }

    private func enrolled(_ index: Int, of client: ClientID = Fixture.client) async throws -> HolderID {
        guard case .enrolled(let id)? = try await enrol([Enrolment(.number(Self.number(index)))], of: client).first
        else { throw StorageFault.corrupt(what: "not enrolled") }
        return id
    }

    /// As the tenant's own call removes one.
    private func remove(_ id: HolderID, of client: ClientID, _ database: Database? = nil) async throws -> Bool {
        let database = database ?? self.database
        let identities = IdentitiesTable(database, sealing: Fixture.sealing)
        guard let number = try await identities.number(of: id, of: client) else { return false }
        return try await Erasures(database, sealing: Fixture.sealing).erase(.number(number), at: client).data.identities
            == 1
    }

    @Test func `gives back every member`() async throws {
        let references = Identity.References(
            clientCustomerID: "c-1", clientHumanID: "h-1", deviceID: Fixture.id() as DeviceID)
        let outcome = try await enrol([Enrolment(.number(Self.number(1)), references: references)])
        guard case .enrolled(let id)? = outcome.first else { return #expect(Bool(false)) }
        let identity = Identity(
            id: id, number: Self.number(1), isActive: true, createdAt: Fixture.now, references: references)
        #expect(try await identities.identity(id, of: Fixture.client) == identity)
        #expect(try await identities.identity(Self.number(1), of: Fixture.client) == identity)
        #expect(try await identities.number(of: id, of: Fixture.client) == Self.number(1))
        #expect(try await identities.identity(Self.number(2), of: Fixture.client) == nil)
    }

    @Test func `enrolled again keeps id, time and what is not brought anew`() async throws {
        let id = try await enrolled(1)
        #expect(try await identities.setActive(false, id, of: Fixture.client))
        let later = Fixture.now.adding(.seconds(9))
        _ = try await enrol([Enrolment(.number(Self.number(1)), references: .init(clientCustomerID: "c-1"))], at: later)
        let again = try await enrol(
            [Enrolment(.number(Self.number(1)), references: .init(clientHumanID: "h-1"))], at: later)
        #expect(again == [.enrolled(id)])
        let identity = try await identities.identity(id, of: Fixture.client)
        #expect(identity?.createdAt == Fixture.now && identity?.isActive == false)
        #expect(identity?.references == .init(clientCustomerID: "c-1", clientHumanID: "h-1"))
    }

    @Test func `takes over the id of a number that was proven before, which is no identity by itself`() async throws {
        let proven: HolderID = Fixture.id()
        _ = try await database.transaction { (connection) throws(StorageFault) in
            try IdentitiesTable.findOrAdd(
                Self.number(1), of: Fixture.client, fresh: proven, isProven: true, sealing: Fixture.sealing, connection)
        }
        #expect(try await identities.number(of: proven, of: Fixture.client) == Self.number(1))
        #expect(try await identities.identity(proven, of: Fixture.client) == nil)
        #expect(try await identities.identity(Self.number(1), of: Fixture.client) == nil)
        #expect(
            try await identities.identities(of: Fixture.client, after: nil, limit: 9, includingInactive: true) == [])
        #expect(try await !identities.setActive(true, proven, of: Fixture.client))
        #expect(try await enrolled(1) == proven)
    }

    @Test func `lists page by page in the order of ids, inactive ones on request`() async throws {
        let outcomes = try await enrol((0..<5).map { Enrolment(.number(Self.number($0))) })
        let ids = outcomes.compactMap { if case .enrolled(let id) = $0 { id } else { nil } }
        #expect(ids.count == 5 && ids == ids.sorted())
        #expect(try await identities.setActive(false, ids[1], of: Fixture.client))
        func page(_ after: HolderID?, _ limit: Int, _ inactive: Bool) async throws -> [HolderID] {
            try await identities.identities(
                of: Fixture.client, after: after, limit: limit, includingInactive: inactive)
        }
        #expect(try await page(nil, 9, false) == [ids[0], ids[2], ids[3], ids[4]])
        #expect(try await page(nil, 2, true) == [ids[0], ids[1]])
        #expect(try await page(ids[1], 2, true) == [ids[2], ids[3]])
        #expect(try await page(ids[1], 2, false) == [ids[2], ids[3]])
        #expect(try await page(ids[4], 2, true) == [])
        #expect(try await page(nil, 0, true) == [])
        #expect(try await remove(ids[2], of: Fixture.client))
        // A page may begin behind one that is gone.
        #expect(try await page(ids[2], 9, true) == [ids[3], ids[4]])
    }

    @Test func `keeps tenants apart`() async throws {
        let (mine, theirs) = (try await enrolled(1), try await enrolled(1, of: Self.other))
        #expect(mine != theirs)
        #expect(try await identities.identity(theirs, of: Fixture.client) == nil)
        #expect(try await identities.number(of: theirs, of: Fixture.client) == nil)
        #expect(try await !identities.setActive(false, theirs, of: Fixture.client))
        #expect(try await !remove(theirs, of: Fixture.client))
        #expect(
            try await identities.identities(of: Fixture.client, after: nil, limit: 9, includingInactive: true) == [mine]
        )
        #expect(try await enrol([Enrolment(.identity(theirs, at: nil))]) == [.unknownIdentity])
        #expect(try await remove(mine, of: Fixture.client))
        #expect(try await identities.identity(theirs, of: Self.other)?.isActive == true)
    }

    @Test func `removed and enrolled again has another id and nothing of before`() async throws {
        _ = try await enrol([
            Enrolment(
                .number(Self.number(1)), references: .init(clientCustomerID: "c-1"),
                attributes: [.init(name: "tier", value: "gold")])
        ])
        let id = try await enrolled(1)
        #expect(try await remove(id, of: Fixture.client))
        #expect(try await !remove(id, of: Fixture.client))
        #expect(try await identities.number(of: id, of: Fixture.client) == nil)
        let again = try await enrolled(1)
        #expect(again != id)
        let identity = try await identities.identity(again, of: Fixture.client)
        #expect(identity?.references == Identity.References())
        let domains = DomainsTable(database, sealing: Fixture.sealing)
        #expect(try await domains.attributes(of: again, of: Fixture.client, fresh: Fixture.id()) == [])
    }

    @Test func `holds twenty attributes and refuses one more whole`() async throws {
        let attributes = (0..<20).map { IdentityAttribute(name: "a\($0)", value: "1") }
        let full = Enrolment(.number(Self.number(1)), attributes: attributes)
        let outcomes = try await enrol([full])
        #expect(outcomes != [.tooManyAttributes])
        let more = Enrolment(
            .number(Self.number(1)), references: .init(clientCustomerID: "c-2"),
            attributes: [.init(name: "b", value: "1")])
        let same = Enrolment(.number(Self.number(1)), attributes: [.init(name: "a3", value: "2")])
        let fresh = Enrolment(.number(Self.number(2)), attributes: attributes + [.init(name: "b", value: "1")])
        #expect(try await enrol([more, same, fresh]) == [.tooManyAttributes, outcomes[0], .tooManyAttributes])
        let identity = try await identities.identity(Self.number(1), of: Fixture.client)
        #expect(identity?.references.clientCustomerID == nil)
        #expect(try await identities.identity(Self.number(2), of: Fixture.client) == nil)
    }

    @Test func `gives sixteen racing enrolments of a number one id`() async throws {
        let identities = identities
        let ids = try await withThrowingTaskGroup(of: EnrolmentOutcome?.self) { racers in
            for _ in 0..<16 {
                racers.addTask {
                    try await identities.enrol(
                        [Enrolment(.number(Self.number(1)))], of: Fixture.client, fresh: Self.fresh(1), at: Fixture.now
                    ).first
                }
            }
            return try await racers.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.allSatisfy { $0 == ids[0] })
    }

    @Test func `leaves no byte of a removed identity in any file, and no attribute in the clear`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.database(.directory(try DataDirectory(folder.path)))
        let identities = IdentitiesTable(database, sealing: Fixture.sealing)
        func enrol(_ index: Int) async throws -> EnrolmentOutcome? {
            try await identities.enrol(
                [
                    Enrolment(
                        .number(Self.number(index)),
                        attributes: [.init(name: "loyaltyTier", value: "platinum-member-\(index)")])
                ], of: Fixture.client, fresh: Self.fresh(1), at: Fixture.now
            ).first
        }
        for index in 2..<40 { _ = try await enrol(index) }
        guard case .enrolled(let id)? = try await enrol(1) else { return #expect(Bool(false)) }
        let row = try await database.read { (connection) throws(StorageFault) in
            try connection.first("SELECT number_sealed, attributes_sealed FROM identities WHERE prove_id = ?1") {
                $0.identifier(id)
            } _: { (row) throws(StorageFault) in
                [try row.blob("number"), try row.blob("attributes")]
            }
        }
        let traces = try #require(row)
        func filesWithTraces() throws -> Int {
            try folder.contents().values.count { bytes in traces.contains { bytes.firstRange(of: $0) != nil } }
        }
        #expect(try filesWithTraces() > 0)
        #expect(try await remove(id, of: Fixture.client, database))
        #expect(try filesWithTraces() == 0)
        await database.close()
        for bytes in try folder.contents().values {
            for plain in ["2001004001", "loyaltyTier", "platinum"] {
                #expect(bytes.firstRange(of: Array(plain.utf8)) == nil)
            }
        }
    }
}
