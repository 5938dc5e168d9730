import Locks
import Foundation
import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The content of every file in it, by name.
    func contents() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            found[name] = Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
        }
        return found
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }
}

/// Notes what the store told its owner.
final class FatalNotes: Sendable {
    let all = Locked<[String]>([])
}

enum Fixture {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let client = ClientID("acme")!
    static let number = PhoneNumber(e164: "+12001004014")!

    static let migrations = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../migrations"

    static let sealing = Sealing.fake

    /// A database for the stores. Its clock does not move: a transaction that waits on a busy machine is not
    /// late.
    static func database(
        _ place: SQLiteDatabase.Place = .memory, limits: SQLiteLimits = SQLiteLimits()
    ) throws -> Database {
        try sqlite(place, limits: limits).database
    }

    /// Its clock does not move unless `uptime` is given.
    static func sqlite(
        _ place: SQLiteDatabase.Place = .memory, limits: SQLiteLimits = SQLiteLimits(),
        home: @escaping Database.HomeFinder = { nil },
        uptime: @escaping @Sendable () -> UInt64 = { 0 }, fatal: FatalNotes = FatalNotes()
    ) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            place, migrations: migrations, now: now, limits: limits, home: home, uptime: uptime,
            onFatal: { note in fatal.all.withLock { $0.append(note) } })
    }

    static func sessions(_ sqlite: SQLiteDatabase) -> SessionsTable { sessions(sqlite.database) }

    static func sessions(_ database: Database) -> SessionsTable {
        SessionsTable(database, sealing: sealing, holder: 1)
    }

    static func id<ID: Identifier>(at now: Timestamp = now) -> ID {
        ID(at: now, random: UInt128.random(in: 0...UInt128.max))
    }

    /// A new session as the engine makes it.
    static func session(
        at now: Timestamp = now, number: PhoneNumber = number, client: ClientID = client,
        policy: Policy = .standard(retries: true, mayChangeNumber: true), options: SessionRequest.Options = .init()
    ) -> Session {
        Session(
            correlationID: id(at: now), authID: id(at: now), clientID: client,
            request: SessionRequest(
                flow: .mobile, policy: policy,
                subject: .init(number: SubmittedNumber(asSent: String(number.e164.dropFirst()), number: number)),
                options: options, references: .init(clientRequestID: "r-1")),
            at: now, limits: Limits())
    }

    /// A proof of one key, made and checked so many seconds after `now`.
    static func proof(_ digest: [UInt8], at seconds: Int64 = 0) -> DPoPProof {
        let moment = now.adding(.seconds(seconds))
        return DPoPProof(
            thumbprint: Thumbprint([UInt8](repeating: 1, count: 32))!, jtiDigest: digest, issuedAt: moment,
            checkedAt: moment, validUntil: moment.adding(.seconds(61)))
    }

    /// A session that waits for the code with this digest.
    static func waitingSession(_ digest: [UInt8] = right, at now: Timestamp = now) throws -> Session {
        var session = session(at: now)
        try session.redeem(
            .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: now, rules: rules)
        _ = try session.sendCode(
            .first(nil), issue: { _, _, _ in .init(shown: OTP("1234")!, expected: OTPDigest(digest)) }, at: now,
            rules: rules)
        return session
    }

    /// A session whose client asks for links.
    /// A Pre-Fill run that a browser or phone drives.
    static func run(_ flow: FlowDigest?, claim: PersonClaim = PersonClaim(), at now: Timestamp = now) -> Session {
        Session(
            correlationID: id(at: now), authID: id(at: now), clientID: client,
            request: SessionRequest(
                flow: .mobile, policy: .standard("prefill", prefill: .afterChallenge), subject: .init(claim: claim),
                options: .init(), references: .init()),
            flowDigest: flow, at: now, limits: Limits())
    }

    static func linkSession(at now: Timestamp = now) throws -> Session {
        var session = session(at: now)
        try session.redeem(
            .init(platform: .web, fallback: .link, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: now, rules: rules)
        return session
    }

    /// A link with a digest of this byte.
    static func link(_ byte: UInt8, matchCode: String? = nil) -> Session.IssuedLink {
        .init(token: "t", digest: digest(byte), matchCode: matchCode)
    }

    static func digest(_ byte: UInt8) -> LinkDigest { LinkDigest([UInt8](repeating: byte, count: 32)) }

    /// A session whose plan has Mobile Auth.
    static func mobileAuthSession(at now: Timestamp = now) throws -> Session {
        var session = session(at: now, policy: .standard())
        let rules = Rules(limits: Limits(), capabilities: .init(mobileAuth: true))
        try session.redeem(
            .init(platform: .android, fallback: .otp, deviceKey: false, cellular: .yes), by: .bearer, challenge: [],
            at: now, rules: rules)
        return session
    }

    static func attempt(_ byte: UInt8) -> AttemptID { AttemptID([UInt8](repeating: byte, count: 16))! }

    static let rules = Rules(limits: Limits())

    static let right = [UInt8](repeating: 7, count: 32)

    /// An activation that a session makes.
    static func activation(
        of session: Session, of target: Target = .number(number),
        details: DeviceActivation.Details = .init(name: "Ada's phone", platform: "ios"), at now: Timestamp = now
    ) -> DeviceActivation {
        DeviceActivation(
            id: id(at: now), clientID: session.clientID, applicationKey: "YXBwbGljYXRpb24ga2V5IQ==", target: target,
            sessionID: session.correlationID, details: details,
            secrets: ActivationSecrets(keys: [1, 2, 3], counter: [0]), at: now)
    }

    static func key(_ byte: UInt8, client: ClientID = client) -> DeviceKey {
        let bytes = [UInt8](repeating: byte, count: 32)
        return DeviceKey(
            id: id(), clientID: client, thumbprint: Thumbprint(bytes)!, publicKey: PublicKey(x: bytes, y: bytes)!,
            platform: .ios, createdAt: now, number: number, status: .active, boundAt: now, lastUsedAt: now,
            clientCustomerID: "c-1")
    }
}

extension SessionsTable {
    /// Stores a session whose `proveId` does not matter.
    func insert(_ session: Session) async throws(StorageFault) {
        try await insert(session, freshHolderID: Fixture.id())
    }

    func update<R: Sendable>(
        _ session: Session, _ lookup: ChangeInputs = ChangeInputs(),
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try await update(.correlation(session.correlationID), lookup, freshHolderID: Fixture.id(), rule)
    }
}

extension SQLiteDatabase {
    func transaction<Value: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        try await database.transaction(isLong: isLong, body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        try await database.read(body)
    }

    func truncateLog() async { await database.removeDeletedData() }
}

extension Connection {
    /// Runs all statements of a program text.
    func script(_ text: String) throws(StorageFault) {
        guard let connection = self as? SQLiteConnection else { preconditionFailure("the tests run on SQLite") }
        try connection.script(text)
    }
}
