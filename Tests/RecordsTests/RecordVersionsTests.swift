import Testing

@testable import Records

@Suite struct RecordVersionsTests {
    @Test func `a build of level 1 writes these versions`() {
        #expect(RecordVersions.level == 1, "list the versions of the new level here")
        let written: [(record: String, versions: ClosedRange<UInt8>, last: UInt8)] = [
            ("activation details", RecordVersions.activationDetails, 1), ("brand", RecordVersions.brand, 1),
            ("details", RecordVersions.details, 1), ("key", RecordVersions.key, 1),
            ("kept reply", RecordVersions.keptReply, 10), ("listed number", RecordVersions.listedNumberPlace, 1),
            ("message", RecordVersions.message, 5), ("person", RecordVersions.person, 2),
            ("refused start", RecordVersions.refusedStart, 1), ("session", RecordVersions.session, 11),
            ("tally", RecordVersions.tally, 3), ("test number", RecordVersions.testNumber, 1),
            ("webhook endpoint", RecordVersions.webhookEndpoint, 4), ("webhook event", RecordVersions.webhookEvent, 4),
        ]
        for (record, versions, last) in written {
            #expect(versions.upperBound == last, "\(record): raise RecordVersions.level with the version")
        }
    }
}
