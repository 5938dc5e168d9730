import Foundation
import Possession
import Testing

@testable import SQLiteStorage

/// Databases that an earlier version has written.
@Suite struct MigrationTests {
    /// A session as version 0005 stored it: what its row says, and what it must read back as.
    private struct OldSession {
        /// Assignments to the columns of a new session.
        let columns: String
        let session: Session
    }

    private static let url = "https://a.example/done"
    private static let thumbprint = Thumbprint([UInt8](repeating: 3, count: 32))!
    private static let publicKey = PublicKey(
        x: [UInt8](repeating: 4, count: 32), y: [UInt8](repeating: 5, count: 32))!
    private static let deviceID: DeviceID = Fixture.id()
    private static let proveID: ProveID = Fixture.id()
    private static let declared = "platform = 'ios', declared_device_key = 1, cellular = 'yes', test_mode = 0"

    private static func hex(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    private static func hex(_ id: some Identifier) -> String {
        hex(withUnsafeBytes(of: id.bits.bigEndian) { Array($0) })
    }

    private static func old(
        _ columns: String, _ phase: Session.Phase, binding: Session.Binding = .unbound, isDeclared: Bool = false,
        device: DeviceCheck.State = .absent, retired: DeviceCheck.Retired? = nil, otp: OTPCheck.State = .idle,
        proof: Session.Proof? = nil, deviceID: DeviceID? = nil, proveID: ProveID? = nil
    ) -> OldSession {
        let number = SubmittedNumber(asSent: "2001004014", number: Fixture.number)
        let declaration = Session.Declaration(platform: .ios, fallback: nil, deviceKey: true, cellular: .yes)
        return OldSession(
            columns: columns,
            session: Session(
                stored: .init(
                    correlationID: Fixture.id(), authID: Fixture.id(), clientID: Fixture.client,
                    createdAt: Fixture.now, expiresAt: Fixture.now.adding(.seconds(900)),
                    request: SessionRequest(
                        flow: .mobile, product: .unify, subject: .init(number: number, ipAddress: "192.0.2.1"),
                        options: .init(allowOTPRetry: true, mobileAuth: true, finalTargetURL: url),
                        references: .init(clientRequestID: "r-1")),
                    flowDigest: nil, phase: phase, revision: 7, binding: binding,
                    declaration: isDeclared ? declaration : nil,
                    enteredNumber: nil, device: DeviceCheck(state: device, challengesLeft: 2, retired: retired),
                    mobileAuth: MobileAuthCheck(attemptsLeft: 3), sends: SendBudget(sendsLeft: 4, entriesLeft: 1),
                    otp: OTPCheck(state: otp, codeLength: 6, attemptsLeft: 3), link: LinkCheck(), bindTriesLeft: 3,
                    proof: proof, prefill: nil, riskReasons: [], deviceID: deviceID, keyFinding: nil, proveID: proveID,
                    eventCount: 1)))
    }

    private static func everyState() -> [OldSession] {
        let now = Fixture.now
        let ended = ", ended_at_ms = \(now.milliseconds)"
        let key = "binding = 'key', binding_thumbprint = \(hex(thumbprint.bytes)), \(declared)"
        let soon = now.adding(.seconds(60))
        return [
            old("phase = 'created'", .created),
            old(
                """
                phase = 'active', step = 'device', \(key), device_state = 'challenged', device_challenge = x'0102',
                device_challenge_expires_at_ms = \(soon.milliseconds)
                """, .active(.device), binding: .key(thumbprint), isDeclared: true,
                device: .challenged(.init(bytes: [1, 2], expiresAt: soon))),
            old(
                """
                phase = 'active', step = 'otpFinish', \(key), device_state = 'pending',
                pending_thumbprint = \(hex(thumbprint.bytes)),
                pending_public_key = \(hex(publicKey.x + publicKey.y)),
                otp_state = 'waiting', otp_digest = \(hex(Fixture.right)), otp_expires_at_ms = \(soon.milliseconds)
                """, .active(.otpFinish), binding: .key(thumbprint), isDeclared: true,
                device: .pending(.init(thumbprint: thumbprint, publicKey: publicKey)),
                otp: .waiting(OTPDigest(Fixture.right), expiresAt: soon)),
            old(
                "phase = 'active', step = 'otpStart', binding = 'bearer', \(declared)", .active(.otpStart),
                binding: .bearer, isDeclared: true),
            old(
                """
                phase = 'done', outcome = 'succeeded'\(ended), \(key), device_state = 'recognized',
                shown_device_id = \(hex(deviceID)), proof_method = 'deviceKey', proven_at_ms = \(now.milliseconds),
                device_id = \(hex(deviceID)), prove_id = \(hex(proveID))
                """, .done(.succeeded, at: now), binding: .key(thumbprint), isDeclared: true,
                device: .recognized(deviceID),
                proof: .init(method: .deviceKey, number: Fixture.number, at: now), deviceID: deviceID,
                proveID: proveID),
            old(
                "phase = 'done', outcome = 'failed'\(ended), \(key), otp_state = 'failed'", .done(.failed, at: now),
                binding: .key(thumbprint), isDeclared: true, otp: .failed),
            old(
                """
                phase = 'done', outcome = 'possessionRequired'\(ended), \(key), device_state = 'mismatch',
                shown_device_id = \(hex(deviceID)), device_retired = 'inactive'
                """, .done(.possessionRequired, at: now), binding: .key(thumbprint), isDeclared: true,
                device: .mismatch(deviceID), retired: .inactive),
            old("phase = 'done', outcome = 'cancelled'\(ended)", .done(.cancelled, at: now)),
            old("phase = 'done', outcome = 'expired'\(ended)", .done(.expired, at: now)),
        ]
    }

    /// The sealed record of version 1: as sent, number, entered, proven, e-mail, IP address.
    private static func sealed(_ session: Session) throws -> [UInt8] {
        var record: [UInt8] = [1]
        let fields = ["2001004014", Fixture.number.e164, nil, session.proof?.number.e164, nil, "192.0.2.1"]
        for field in fields {
            record += field.map { [0, UInt8($0.utf8.count)] + $0.utf8 } ?? [0xFF, 0xFF]
        }
        let context = SealingContext("sessions.subject_sealed", row: session.correlationID)
        return try Fixture.sealing.seal(record, context.bytes)
    }

    private static func insert(_ old: OldSession) throws -> String {
        let session = old.session
        let id = hex(session.correlationID)
        return """
            INSERT INTO sessions VALUES (\(id), \(hex(session.authID)), 'acme', \(session.createdAt.milliseconds),
              \(session.expiresAt.milliseconds), 'mobile', 'unify', 1, 0, 0, 1, 0, NULL, '\(url)', NULL, 'r-1', NULL,
              NULL, \(hex(try sealed(session))), 'created', NULL, NULL, NULL, 7, 'unbound', NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 'absent', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'idle', NULL, NULL, 6, 3, 4, 1, 3,
              NULL, NULL, NULL, NULL, 1);
            UPDATE sessions SET \(old.columns) WHERE correlation_id = \(id);
            INSERT INTO session_events VALUES (\(id), 0, 'created', \(session.createdAt.milliseconds), NULL);
            """
    }

    private func open(_ folder: TemporaryFolder, _ migrations: String) throws -> Database {
        try Database(
            .directory(DataDirectory(folder.path)), migrations: migrations, now: Fixture.now,
            onFatal: { Issue.record("\($0)") })
    }

    /// A folder with a database of version 0005 that was filled by this script.
    private func folder(_ script: String) async throws -> TemporaryFolder {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        for file in try MigrationFile.all(in: Fixture.migrations).prefix(5) {
            try migrations.write(file.text, to: file.name)
        }
        let database = try open(folder, migrations.path)
        try await database.transaction { (connection) throws(StorageFault) in try connection.script(script) }
        await database.close()
        return folder
    }

    @Test func `reads the sessions that version 0005 stored, in every state`() async throws {
        let old = Self.everyState()
        let folder = try await folder(try old.map(Self.insert).joined())
        let database = try open(folder, Fixture.migrations)
        let sessions = Fixture.sessions(database)
        for session in old.map(\.session) {
            #expect(try await sessions.session(.auth(session.authID)) == session)
            #expect(try await sessions.events(of: session.correlationID).map(\.kind) == [.created])
        }
        let violations = try await database.transaction { (connection) throws(StorageFault) in
            try connection.all("PRAGMA foreign_key_check") { (_) throws(StorageFault) in 1 }
        }
        #expect(violations.isEmpty)
        await database.close()
    }

    @Test func `goes on with the sessions that version 0005 stored`() async throws {
        let old = Self.everyState()
        let folder = try await folder(try old.map(Self.insert).joined())
        let database = try open(folder, Fixture.migrations)
        let sessions = Fixture.sessions(database)
        var generator = SessionGenerator(seed: 4)
        for session in old.map(\.session) {
            let after = generator.session(like: session)
            _ = try await sessions.update(session) { $0.session = after }
            #expect(try await sessions.session(.auth(session.authID)) == after)
            if let digest = after.link.digest {
                #expect(try await sessions.session(.link(digest))?.authID == session.authID)
            }
        }
        let later = Fixture.now.adding(.seconds(1))
        while try await sessions.sweep(sessionsBefore: later, now: later) > 0 {}
        #expect(try await sessions.recentSessions(limit: 1) == [])
        await database.close()
    }

    @Test func `reads the tenants that version 0005 stored, without the rules it did not know`() async throws {
        let folder = try await folder(
            "INSERT INTO tenants VALUES ('acme', 1, 0, 1, 'a.example', '', '', x'01', NULL, 5000, NULL)")
        let database = try open(folder, Fixture.migrations)
        let tenant = Tenant(
            id: Fixture.client,
            rules: TenantRules(allowPhoneChange: true, finalTargetHosts: ["a.example"], anyFinalTargetHost: true),
            secretDigests: [SecretDigest([1])], createdAt: Timestamp(seconds: 5))
        #expect(try await TenantsTable(database).tenants() == [tenant])
        await database.close()
    }
}
