import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct IdentitiesTableTests {
    private static func number(_ index: Int) -> PhoneNumber { PhoneNumber(e164: "+1200100\(4000 + index)")! }

    @Test func `leaves no byte of a removed identity in any file, and no attribute in the clear`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        let identities = IdentitiesTable(database, sealing: Fixture.sealing)
        func enrol(_ index: Int) async throws -> EnrolmentOutcome? {
            try await identities.enrol(
                [
                    Enrolment(
                        .number(Self.number(index)),
                        attributes: [.init(name: "loyaltyTier", value: "platinum-member-\(index)")])
                ], of: Fixture.client, fresh: [Fixture.id()], at: Fixture.now
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
        let erasures = Erasures(database, sealing: Fixture.sealing)
        #expect(try await erasures.erase(.number(Self.number(1)), at: Fixture.client).data.identities == 1)
        #expect(try filesWithTraces() == 0)
        await sqlite.close()
        for bytes in try folder.contents().values {
            for plain in ["2001004001", "loyaltyTier", "platinum"] {
                #expect(bytes.firstRange(of: Array(plain.utf8)) == nil)
            }
        }
    }
}
