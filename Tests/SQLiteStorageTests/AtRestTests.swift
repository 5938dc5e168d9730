import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// DAT-02: what a person or a tenant said stands in no file in a form that can be read.
@Suite struct AtRestTests {
    /// Each value has the mark, and a field of its own.
    private static let mark = "MARK4711neverInTheClear"
    private static let number = PhoneNumber(e164: "+4915112345678")!
    private static let device: DeviceID = DeviceID(high: 0x0193_4711_4711_7711, low: 0x8711_4711_4711_4711)

    private static func marked(_ name: String) -> String { mark + name }

    /// As text, backwards, as base64 at each of its three offsets, and as hex in both cases.
    private static func forms(_ bytes: [UInt8]) -> [Data] {
        let base64 = (0..<3).map { offset -> Data in
            let text = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString()
            // Without the characters that neighbours have a part in.
            return Data(text.dropFirst(offset == 0 ? 0 : 4).dropLast(4).utf8)
        }
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [Data(bytes), Data(bytes.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)] + base64
    }

    /// The first one has the marked id.
    private static func key(_ byte: UInt8) -> DeviceKey {
        let base = Fixture.key(byte)
        return DeviceKey(
            id: byte == 1 ? device : base.id, clientID: base.clientID, thumbprint: base.thumbprint,
            publicKey: base.publicKey, platform: .ios, createdAt: Fixture.now, number: number, status: .active,
            boundAt: Fixture.now, lastUsedAt: Fixture.now, clientCustomerID: marked("customer"),
            clientHumanID: marked("human"))
    }

    private static func activation(of session: Session) -> DeviceActivation {
        Fixture.activation(
            of: session, of: .number(number),
            details: .init(
                name: marked("phone"), platform: marked("platform"), device: marked("model"), flags: [marked("flag")]))
    }

    /// Every field that a caller can fill, in a session that a known device key has ended.
    private static func session(_ byte: UInt8) throws -> Session {
        let plain = Fixture.session()
        let request = SessionRequest(
            flow: .mobile, policy: .standard("auth"),
            subject: .init(
                number: SubmittedNumber(asSent: number.e164, number: number),
                emailAddress: marked("@example.com"), ipAddress: marked("ip")),
            options: .init(
                deviceID: device, finalTargetURL: "https://example.com/" + marked("target"),
                codeTemplate: try MessageTemplate("Your \(mark) code is ####"),
                linkTemplate: try MessageTemplate("\(mark) says ####")),
            references: .init(
                clientRequestID: marked("request"), clientCustomerID: marked("customer"),
                clientHumanID: marked("human")),
            questions: .all, keyHolder: .init(id: marked("user"), isKept: true))
        var state = plain.state
        state.phase = .done(.succeeded, at: Fixture.now)
        state.enteredNumber = number
        state.device = DeviceCheck(state: .recognized(device), challengesLeft: 1)
        state.link = LinkCheck(
            state: .passed, digest: Fixture.digest(byte), matchCode: marked("code"), browser: marked("browser"))
        state.proof = Session.Proof(method: .deviceKey, target: .number(number), at: Fixture.now)
        state.deviceID = device
        return Session(
            correlationID: plain.correlationID, authID: plain.authID, clientID: plain.clientID,
            createdAt: plain.createdAt, expiresAt: plain.expiresAt, request: request, flowDigest: nil, state: state,
            eventCount: 0)
    }

    @Test func `no number, reference, page, message text or device id stands in a file`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let sessions = Fixture.sessions(database)
        let identities = IdentitiesTable(database.database, sealing: Fixture.sealing)
        for byte: UInt8 in 1..<20 {
            let session = try Self.session(byte)
            try await sessions.insert(session)
            _ = try await sessions.update(session) { change in
                change.countSend(to: Self.number)
                change.deviceKey = Self.key(byte)
                change.activation = Self.activation(of: session)
            }
            let stored = try #require(try await sessions.session(.auth(session.authID)))
            #expect(stored.request == session.request && stored.device == session.device)
            #expect(stored.deviceID == Self.device && stored.link == session.link)
        }
        let enrolment = Enrolment(
            .number(Self.number),
            references: .init(
                clientCustomerID: Self.marked("customer"), clientHumanID: Self.marked("human"), deviceID: Self.device),
            attributes: [.init(name: Self.marked("name"), value: Self.marked("value"))])
        _ = try await identities.enrol(
            [enrolment], of: Fixture.client, fresh: [Fixture.id()], at: Fixture.now)
        #expect(try await identities.identity(Self.number, of: Fixture.client)?.references == enrolment.references)
        let secrets = [
            Array(Self.mark.utf8), Array("15112345678".utf8),
            withUnsafeBytes(of: Self.device.bits.bigEndian) { Array($0) }, Array(Self.device.text.utf8),
        ]
        // While the WAL has it all, and once the database does.
        for isClosed in [false, true] {
            if isClosed { await database.close() }
            let files = try folder.contents()
            #expect(files.values.contains { $0.count > 10_000 })
            for (name, content) in files {
                let data = Data(content)
                for (index, secret) in secrets.enumerated() {
                    for form in Self.forms(secret) {
                        #expect(data.range(of: form) == nil, "secret \(index) in \(name)")
                    }
                }
            }
        }
    }
}
