/// The versions of each record that this build reads. It writes the last one.
///
/// A server treats a record of a later version as damaged. So two versions of the program share a database only if they
/// write the same versions of all records.
package enum RecordVersions {
    /// Raise it with each change of a version here. A server of another level waits until the others have ended.
    package static let level: Int64 = 1

    static let activationDetails: ClosedRange<UInt8> = 1...1
    static let brand: ClosedRange<UInt8> = 1...1
    static let details: ClosedRange<UInt8> = 1...1
    static let key: ClosedRange<UInt8> = 1...1
    static let keptReply: ClosedRange<UInt8> = 1...10
    static let listedNumberPlace: ClosedRange<UInt8> = 1...1
    static let message: ClosedRange<UInt8> = 1...5
    /// Version 1 had no credentials.
    static let person: ClosedRange<UInt8> = 1...2
    static let refusedStart: ClosedRange<UInt8> = 1...1
    /// Version 6 was never written: replies contain a state too, and both records share its version numbers. Version 9
    /// did not change the state.
    static let session: ClosedRange<UInt8> = 1...11
    /// Version 2 had no start of a bucket.
    static let tally: ClosedRange<UInt8> = 2...3
    static let testNumber: ClosedRange<UInt8> = 1...1
    static let webhookEndpoint: ClosedRange<UInt8> = 1...4
    static let webhookEvent: ClosedRange<UInt8> = 1...4
}
