import Foundation
import SQLiteStorage
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Administration
@testable import Engine
@testable import Possession
@testable import Wiring

/// An operator's orders for activations and device keys.
@Suite struct DeviceControlTests {
    private let directory = ServerFixture.freshDirectory()
    private let sandbox = ClientID("sandbox")!
    private static let number = PhoneNumber(e164: "+12001004014")!
    private static let address = EmailAddress("ada@example.com")!
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func id<ID: Identifier>(_ number: Int, at now: Timestamp) -> ID { ID(at: now, random: UInt128(number)) }

    private func session(_ number: Int, in store: Store) async throws -> Session {
        let session = Session(
            correlationID: id(number, at: Self.start), authID: id(number, at: Self.start), clientID: sandbox,
            request: SessionRequest(
                flow: .mobile, policy: .standard("unify"),
                subject: .init(number: SubmittedNumber(asSent: Self.number.e164, number: Self.number)),
                options: .init(), references: .init()),
            flowDigest: nil, at: Self.start, limits: Limits())
        try await store.sessions.insert(session, freshHolderID: id(number, at: Self.start))
        return session
    }

    private func change(_ session: Session, in store: Store, _ rule: @escaping @Sendable (inout SessionChange) -> Void)
        async throws
    {
        _ = try await store.sessions.update(
            .correlation(session.correlationID), ChangeInputs(), freshHolderID: HolderID(bits: 1), rule)
    }

    /// Stores an activation with the session that makes it, some milliseconds after the start.
    private func activate(
        _ number: Int, in store: Store, proving target: Target = .number(Self.number), after milliseconds: Int64 = 0
    ) async throws -> DeviceName {
        let session = try await session(number, in: store)
        let now = Self.start.adding(.milliseconds(milliseconds))
        let activation = DeviceActivation(
            id: id(number, at: now), clientID: sandbox, applicationKey: "a", target: target,
            sessionID: session.correlationID, details: .init(name: "Ada's phone", platform: "ios", device: "Phone 1"),
            secrets: ActivationSecrets(keys: [1], counter: [0]), at: now)
        try await change(session, in: store) { $0.activation = activation }
        return DeviceName(high: activation.id.high, low: activation.id.low)
    }

    private func bind(_ number: Int, in store: Store, after milliseconds: Int64 = 0) async throws -> DeviceName {
        let session = try await session(number, in: store)
        let now = Self.start.adding(.milliseconds(milliseconds))
        let bytes = [UInt8](repeating: UInt8(number), count: 32)
        let key = DeviceKey(
            id: id(number, at: now), clientID: sandbox, thumbprint: try #require(Thumbprint(bytes)),
            publicKey: try #require(PublicKey(x: bytes, y: bytes)), platform: .android, createdAt: now,
            number: Self.number, status: .active, boundAt: now, lastUsedAt: store.now())
        try await change(session, in: store) { $0.deviceKey = key }
        return DeviceName(high: key.id.high, low: key.id.low)
    }

    private func listed(
        _ owner: ListDevices.Owner, before: DeviceName? = nil, limit: Int = ListDevices.standardLimit,
        _ control: ControlClient
    ) throws -> [JSONObject] {
        let answer = try control.send(ListDevices(owner, before: before, limit: limit))
        #expect(answer.status == 200, "\(answer.object)")
        return try #require(answer.object["devices"]?.array).compactMap(\.object)
    }

    private func change(_ device: DeviceName, _ act: DeviceAct, _ control: ControlClient) throws -> String {
        let answer =
            switch act {
            case .block: try control.send(BlockDevice(id: device))
            case .unblock: try control.send(UnblockDevice(id: device))
            case .remove: try control.send(RemoveDevice(id: device))
            }
        return answer.status < 300 ? "done" : "\(answer.status) \(answer.object["message"]?.string ?? "")"
    }

    @Test func `lists both kinds in pages, the newest first, each once`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { server, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let store = server.store
            var made: [DeviceName] = []
            // Three times one millisecond with two of each kind.
            for millisecond: Int64 in 0..<3 {
                for number in [1, 2] {
                    let number = number + 10 * Int(millisecond)
                    made.append(try await bind(number, in: store, after: millisecond))
                    made.append(try await activate(number + 100, in: store, after: millisecond))
                }
            }
            let mailed = try await activate(200, in: store, proving: .email(Self.address), after: 9)
            let target = ListDevices.Owner.target(.number(Self.number), at: sandbox)
            let all = try listed(target, control).compactMap { $0["id"]?.string.flatMap { DeviceName($0) } }
            #expect(Set(all) == Set(made) && all.count == 12)
            #expect(all.map(\.createdAt) == all.map(\.createdAt).sorted(by: >))
            for limit in [1, 2, 3, 5] {
                var (paged, last): ([DeviceName], DeviceName?) = ([], nil)
                repeat {
                    let page = try listed(target, before: last, limit: limit, control)
                    let ids = page.compactMap { $0["id"]?.string.flatMap { DeviceName($0) } }
                    paged += ids
                    last = ids.count == limit ? ids.last : nil
                } while last != nil && paged.count < 99
                #expect(paged == all, "pages of \(limit)")
            }
            let ofClient = try listed(.client(sandbox), control).map { $0["id"]?.string }
            #expect(ofClient == [mailed.text] + all.map(\.text))
            let ofAddress = try listed(.target(.email(Self.address), at: nil), control)
            #expect(ofAddress.map { $0["id"]?.string } == [mailed.text])
            #expect(ofAddress.first?["emailAddress"] == "a***@e***.com")
            let stranger = Target.number(try #require(PhoneNumber(e164: "+12001004015")))
            #expect(try listed(.target(stranger, at: nil), control).isEmpty)
        }
    }

    @Test func `shows how a device stands, without the number`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { server, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let activation = try await activate(1, in: server.store, after: 1)
            let key = try await bind(2, in: server.store)
            let (used, later) = (Self.start.adding(.seconds(1)), Self.start.adding(.seconds(2)))
            _ = try await server.store.activations.update(activation.activation, telling: nil) { activation in
                let counter = activation.secrets.counter
                _ = activation.take(
                    SignatureMatch(skipped: 0, counter: counter), of: .knowledge, checkedWith: counter, at: used)
                for _ in 0..<5 { _ = activation.take(nil, of: .knowledge, checkedWith: counter, at: later) }
            }
            let lines = try listed(.client(sandbox), control)
            let expected: JSONObject = [
                "kind": "activation", "id": .string(activation.text), "client": "sandbox", "status": "blocked",
                "reason": "failed_attempts", "since": .string(later.rfc3339), "failedAttempts": 5,
                "name": "Ada's phone", "platform": "ios", "device": "Phone 1", "phoneNumber": "+1******4014",
                "createdAt": .string(Self.start.rfc3339), "lastUsedAt": .string(used.rfc3339),
            ]
            #expect(lines.first == expected)
            #expect(lines.last?["kind"] == "key" && lines.last?["id"]?.string == key.text)
            #expect(lines.last?["status"] == "active" && lines.last?["phoneNumber"] == "+1******4014")
            #expect(!"\(lines)".contains(Self.number.e164))
        }
    }

    @Test func `blocks, unblocks and removes, tells the API client, and keeps each act for auditors`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        let (_, log) = try await ServerFixture.withServerAndLog(configuration) { server, _ in
            let (store, control) = (server.store, ControlClient(socket: Assembly.controlSocketPath(configuration)))
            let endpoint = WebhookEndpoint(
                id: id(1, at: Self.start), clientID: sandbox, url: "https://127.0.0.1:9/h",
                filter: try WebhookFilter(["activation.*", "device_key.*"]), keys: .init(secret: [1], seed: nil),
                createdAt: store.now())
            #expect(try await store.webhooks.add(endpoint, most: 9))
            let (activation, key) = (try await activate(1, in: store), try await bind(2, in: store))
            for act in [DeviceAct.block, .unblock, .remove] {
                for _ in 0..<2 { #expect(try change(activation, act, control) == "done") }
            }
            let stored = try #require(try await store.activations.activation(activation.activation))
            #expect(stored.standing.status == .removed && stored.standing.reason == .operator)
            for act in [DeviceAct.block, .unblock] {
                #expect(
                    try change(activation, act, control)
                        == "400 this activation is removed for good: its person activates the phone again")
                #expect(
                    try change(key, act, control)
                        == "400 this is a device key: it can be removed, and not \(act.rawValue)ed")
            }
            for _ in 0..<2 { #expect(try change(key, .remove, control) == "done") }
            #expect(try await store.deviceKeys.deviceKey(key.key, of: sandbox)?.status == .revoked)

            let told = try await store.webhooks.webhookDeliveries(at: endpoint.id, of: nil, in: nil, limit: 99)
                .map { "\($0.event.news.type.rawValue) \($0.event.news.text("reason") ?? "-")" }
            #expect(
                told.sorted() == [
                    "activation.blocked operator", "activation.removed operator", "activation.unblocked -",
                    "device_key.revoked revoked",
                ])
            let lines = try await store.audit.lines(after: 0, limit: 100)
                .compactMap { try? JSONObject.parse($0.text) }
                .filter { $0["event"]?.string?.hasPrefix("device_") == true }
            let acts = lines.map { line in
                let device = line["detail"]?.object?["device"]?.string == key.text ? "key" : "activation"
                return "\(line["event"]?.string ?? "") \(device) \(line["result"]?.string ?? "")"
            }
            #expect(
                acts == [
                    "device_blocked activation done", "device_blocked activation done",
                    "device_unblocked activation done", "device_unblocked activation done",
                    "device_removed activation done", "device_removed activation done",
                    "device_blocked activation refused", "device_blocked key refused",
                    "device_unblocked activation refused", "device_unblocked key refused",
                    "device_removed key done", "device_removed key done",
                ])
        }
        #expect(log.contains { $0["message"] as? String == "device blocked" })
    }

    @Test func `says why there is no such device or client`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let nobody: DeviceName = id(1, at: Self.start)
            for act in DeviceAct.allCases { #expect(try change(nobody, act, control) == "404 no such device") }
            let lists = [
                ListDevices(.client(try #require(ClientID("shop")))), ListDevices(.client(sandbox), before: nobody),
            ]
            let refusals = try lists.map { try control.send($0).object["message"]?.string }
            #expect(refusals == ["no such client", "before: there is no such device"])
            let (status, _) = try control.exchange("POST", "/control/devices/1/block")
            #expect(status == 404)
        }
    }

    @Test func `works on the store itself when no server runs`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        let activation = try await ServerFixture.withServer(configuration) { server, _ in
            try await activate(1, in: server.store)
        }
        let opened = try await Installation(configuration).openStore()
        let surface = ControlSurface(opened.administrator)
        #expect(await surface.answer(BlockDevice(id: activation)).status == 200)
        let lines = await surface.answer(ListDevices(.client(sandbox))).object["devices"]?.array
        #expect(lines?.first?.object?["status"] == "blocked")
        await opened.close()
    }
}
