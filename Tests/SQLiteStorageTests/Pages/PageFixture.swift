import Foundation
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A data directory with a database of its own, whose bytes can be changed.
final class Pages {
    static let bytes = 4096

    let folder: TemporaryFolder
    var path: String { folder.path + "/holdfast.db" }

    init(_ folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
    }

    /// One with so many sessions, closed in good order.
    static func filled(_ count: Int = 120) async throws -> (pages: Pages, sessions: [Session]) {
        let pages = try Pages()
        let database = try pages.open()
        var sessions: [Session] = []
        for _ in 0..<count {
            let session = Fixture.session()
            try await Fixture.sessions(database).insert(session)
            sessions.append(session)
        }
        await database.close()
        return (pages, sessions)
    }

    func open(
        checks: Bool = true, fatal: FatalNotes = FatalNotes(), _ change: (inout SQLiteLimits) -> Void = { _ in }
    ) throws -> SQLiteDatabase {
        var limits = SQLiteLimits()
        limits.pauseBetweenCheckSteps = .zero
        if !checks { limits.bytesCheckedAtStart = 0 }
        change(&limits)
        return try Fixture.sqlite(.directory(DataDirectory(folder.path)), limits: limits, fatal: fatal)
    }

    /// Fault that a start has with the files; `nil`: it goes through.
    func refusal() async throws -> OpeningFault? {
        do {
            await (try open()).close()
            return nil
        } catch let fault as OpeningFault { return fault }
    }

    var content: [UInt8] {
        get throws { try #require(folder.contents()["holdfast.db"]) }
    }

    var count: Int {
        get throws { try content.count / Pages.bytes }
    }

    func write(_ bytes: [UInt8], at offset: Int, _ file: String = "holdfast.db") throws {
        try OpenFile(folder.path + "/" + file, .writing).write(bytes, at: offset)
    }

    func flip(_ bit: Int, ofByte offset: Int, _ file: String = "holdfast.db") throws {
        let before = try OpenFile(folder.path + "/" + file, .reading).read(1, at: offset)
        try write([before[0] ^ 1 << UInt8(bit)], at: offset, file)
    }

    /// The leaf of the table of sessions that has the row of this one, from 1.
    func leaf(of session: Session) throws -> Int {
        let content = try content
        let key = withUnsafeBytes(of: session.correlationID.bits.bigEndian) { Data($0) }
        for page in 0..<content.count / Pages.bytes {
            let bytes = Data(content[page * Pages.bytes..<(page + 1) * Pages.bytes])
            // A row has the address beside the id, an index or an event has not.
            let other = withUnsafeBytes(of: session.authID.bits.bigEndian) { Data($0) }
            if bytes[0] == 13, bytes.range(of: key) != nil, bytes.range(of: other) != nil { return page + 1 }
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// Those that a look at the file as it lies there finds damaged.
    func damaged() throws -> [Int] {
        try PageScan.suspected(try SQLiteConnection(path: path, .reader))
    }
}

/// A generator with a seed, so that a run can be repeated.
struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
