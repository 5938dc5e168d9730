import COpenSSL
import Locks
import TestSupport
import Testing

@testable import HTTPServer
@testable import TLS

/// TLS on the sockets of the server. What it has in common with other transports is in `TransportTests`.
@Suite(.serialized) struct TLSTransportTests {
    private let directory: TestDirectory
    private let listening: TLSListening

    init() throws {
        directory = try TestDirectory()
        listening = try TLSFixture.listening(in: directory, TestCertificate("own"))
    }

    /// Runs `body` against a server that speaks TLS with the certificate of the test.
    private func withServer(
        _ limits: Limits = Fixture.limits, loops: Int = 1, routes: [Route] = Fixture.routes,
        over listening: TLSListening? = nil, fields: Server.Fields = [], manualClock: ManualClock? = nil,
        observe: @escaping @Sendable (Exchange) -> Void = { _ in },
        _ body: (Server, BoundAddress) async throws -> Void
    ) async throws {
        let server = try Server(
            limits: limits, loops: loops, manualClock: manualClock, router: Router(routes),
            failureResponse: Fixture.failure, fields: fields, observe: { for exchange in $0 { observe(exchange) } })
        let bound = try server.start(
            on: [.tcp(host: "127.0.0.1", port: 0)], over: (listening ?? self.listening).makeTransport)
        do { try await OwnThread.run { try await body(server, #require(bound.first)) } } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func client(_ address: BoundAddress, _ settings: TLSPeer.Settings = .init()) throws -> TestClient {
        try TestClient(address, peer: TLSPeer(settings))
    }

    private func peer(_ client: TestClient) throws -> TLSPeer { try #require(client.peer as? TLSPeer) }

    // MARK: Agreement

    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func `speaks TLS 1.2 and 1.3, and tells the request`(version: Int32, name: String) async throws {
        let told = Route(.get, "/version") { Fixture.text($0.channel?.version.rawValue ?? "none") }
        let seen = Locked<[String?]>([])
        try await withServer(
            routes: [told], observe: { exchange in seen.withLock { $0.append(exchange.tls?.rawValue) } }
        ) { _, address in
            let client = try client(address, .init(least: version, most: version))
            #expect(try client.exchange(Fixture.get("/version"))?.body == name)
            #expect(try peer(client).version == name)
        }
        #expect(seen.withLock { $0 } == [name])
        #expect(listening.figures[.full] == 1)
    }

    @Test func `refuses TLS 1.1`() async throws {
        try await withServer { server, address in
            let client = try client(address, .init(least: TLS1_VERSION, most: TLS1_1_VERSION))
            #expect(throws: (any Error).self) { try client.shakeHands() }
            #expect(try client.isReset() == false)
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.failed] == 1)
        }
    }

    @Test(arguments: [("\u{2}h2\u{8}http/1.1", "http/1.1"), ("\u{8}http/1.0", "http/1.0"), ("", "")])
    func `agrees on HTTP/1.1`(offered: String, chosen: String) async throws {
        try await withServer { _, address in
            let client = try client(address, .init(protocols: Array(offered.utf8)))
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            #expect(try peer(client).chosenProtocol == chosen)
        }
    }

    @Test func `refuses a client that speaks HTTP/2 only`() async throws {
        try await withServer { _, address in
            let client = try client(address, .init(protocols: Array("\u{2}h2".utf8)))
            #expect(throws: (any Error).self) { try client.shakeHands() }
        }
    }

    @Test func `serves a client that asks for another server's name`() async throws {
        try await withServer { _, address in
            let client = try client(address, .init(serverName: "other.example"))
            #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
        }
    }

    @Test func `has its fields in every answer`() async throws {
        try await withServer(fields: [("Strict-Transport-Security", "max-age=60")]) { _, address in
            let client = try client(address)
            for request in [Fixture.get("/hello"), Fixture.get("/none"), "nonsense\r\n\r\n"] {
                #expect(try client.exchange(request)?.headers["strict-transport-security"] == "max-age=60")
            }
        }
    }

    // MARK: Peers that are slow, wrong or gone

    @Test func `takes a handshake and a request byte by byte`() async throws {
        try await withServer { _, address in
            let client = try client(address)
            let peer = try peer(client)
            while !peer.isOpen {
                for byte in try peer.takeHandshakeStep() { try client.sendRaw([byte]) }
                if !peer.isOpen { #expect(try client.takeMore()) }
            }
            for byte in peer.seal(Array(Fixture.get("/hello").utf8)) { try client.sendRaw([byte]) }
            #expect(try client.receive()?.body == "hello")
        }
    }

    @Test func `tells a client that speaks plain HTTP to use https`() async throws {
        try await withServer { server, address in
            let client = try TestClient(address)
            let answer = try client.exchange(Fixture.get("/hello"))
            #expect(answer?.status == 400)
            #expect(answer?.body == "this port speaks TLS: use https\n")
            #expect(try client.isAtEnd())
            #expect(try client.isReset() == false)
            #expect(listening.figures[.noTLS] == 1)
        }
    }

    @Test(arguments: [[0x80, 0x2E, 1], [0], [0xFF, 0xFF], [22, 3, 1, 0xFF, 0xFF, 1], [22, 9, 9, 0, 4, 1, 2, 3, 4]])
    func `closes on what is no handshake, without HTTP`(bytes: [UInt8]) async throws {
        try await withServer { server, address in
            let client = try TestClient(address)
            try client.sendRaw(bytes)
            client.shutDown()
            #expect(try !client.receiveAll().contains("HTTP"))
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.full] == 0)
        }
    }

    @Test(arguments: [0, 1, 5, 100])
    func `cuts a handshake that stops, at the deadline of a head`(bytes: Int) async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.headerTimeout = .seconds(10)
        try await withServer(limits, manualClock: clock) { server, address in
            let client = try client(address)
            try client.sendRaw(Array(try peer(client).takeHandshakeStep().prefix(bytes)))
            try await Fixture.until { server.statistics().openConnections == 1 }
            await Fixture.pass(.milliseconds(9_999), clock, server)
            #expect(server.statistics().openConnections == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(server.statistics().openConnections == 0)
            #expect(listening.figures[.gone] == 1)
        }
    }

    @Test(arguments: [0, 20])
    func `counts a peer that resets its connection before the end of its handshake`(bytes: Int) async throws {
        try await withServer { server, address in
            let client = try client(address)
            try client.sendRaw(Array(try peer(client).takeHandshakeStep().prefix(bytes)))
            try await Fixture.until { server.statistics().openConnections == 1 }
            client.reset()
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.gone] == 1)
        }
    }

    @Test func `counts a connection once, whatever comes behind its handshake`() async throws {
        try await withServer { server, address in
            let client = try client(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            client.reset()
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.full] == 1 && listening.figures[.gone] == 0)
        }
    }

    @Test func `does not count as gone what it has no place for`() async throws {
        var limits = Fixture.limits
        limits.maxConnectionsPerAddress = 1
        try await withServer(limits) { server, address in
            let first = try client(address)
            #expect(try first.exchange(Fixture.get("/hello"))?.status == 200)
            #expect(try TestClient(address).receiveAll() == "")
            #expect(listening.figures[.gone] == 0)
        }
    }

    @Test func `counts a peer that goes in the middle of its handshake`() async throws {
        try await withServer { server, address in
            let client = try client(address)
            try client.sendRaw(Array(try peer(client).takeHandshakeStep().prefix(20)))
            client.shutDown()
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.gone] == 1)
        }
    }

    @Test func `does not answer half a request that ends without the end of TLS`() async throws {
        try await withServer { server, address in
            let client = try client(address)
            try client.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 100\r\n\r\nhalf")
            client.shutDown()
            #expect(try client.receiveAll() == "")
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.brokenLater] == 1)
        }
    }

    @Test func `ends a connection whose record was changed on the way`() async throws {
        try await withServer { server, address in
            let client = try client(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            var record = try peer(client).seal(Array(Fixture.get("/hello").utf8))
            record[record.count - 1] ^= 1
            try client.sendRaw(record)
            #expect(try client.isAtEnd())
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.brokenLater] == 1)
        }
    }

    @Test func `counts a changed record behind a good one`() async throws {
        try await withServer { server, address in
            let client = try client(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            let good = try peer(client).seal(Array(Fixture.get("/hello").utf8))
            var changed = try peer(client).seal(Array(Fixture.get("/hello").utf8))
            changed[changed.count - 1] ^= 1
            try client.sendRaw(good + changed)
            #expect(try client.isAtEnd())
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(listening.figures[.brokenLater] == 1)
        }
    }

    @Test func `answers a few new keys, and ends a connection that sends nothing else`() async throws {
        try await withServer { server, address in
            let client = try client(address, .init(least: TLS1_3_VERSION))
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            try client.sendRaw(try peer(client).newKeys(3))
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            // 27 bytes each; 64 KiB without a byte of HTTP are the most.
            try? client.sendRaw(try peer(client).newKeys(5_000))
            try await Fixture.until { server.statistics().openConnections == 0 }
        }
    }

    @Test func `many handshakes at once all come through`() async throws {
        try await withServer(loops: 2) { _, address in
            let clients = try (0..<100).map { _ in try client(address) }
            for client in clients { try client.sendRaw(try peer(client).takeHandshakeStep()) }
            for client in clients { #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello") }
        }
    }

    // MARK: Sessions, certificates

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `resumes a session, until the keys of its ticket are an hour old`(version: Int32) async throws {
        try await withServer { _, address in
            func visit(_ session: OpaquePointer?) throws -> (isResumed: Bool, session: OpaquePointer?) {
                let client = try client(address, .init(least: version, most: version, session: session))
                #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
                let outcome = (try peer(client).isResumed, try peer(client).session)
                // OpenSSL resumes no session whose connection did not end properly.
                client.finishSending()
                return outcome
            }
            let first = try visit(nil)
            #expect(!first.isResumed)
            #expect(try !listening.everyMinute(now: TLSFixture.now))
            let second = try visit(first.session)
            #expect(second.isResumed)
            #expect(listening.figures[.resumed] == 1)
            #expect(try !listening.everyMinute(now: TLSFixture.now + 3700))
            #expect(try !visit(second.session).isResumed)
            for session in [first.session, second.session] { SSL_SESSION_free(session) }
        }
    }

    @Test func `takes another certificate for new connections, and drops none`() async throws {
        try await withServer(loops: 2) { _, address in
            let old = try client(address)
            #expect(try old.exchange(Fixture.get("/hello"))?.status == 200)
            let files = TLSFixture.files(in: directory)
            for round in 0..<5 {
                try TestCertificate("round \(round)").write(certificate: files.certificate, key: files.key)
                // In the middle of a handshake.
                let between = try client(address)
                try between.sendRaw(try peer(between).takeHandshakeStep())
                #expect(try listening.everyMinute(now: TLSFixture.now))
                #expect(try !listening.everyMinute(now: TLSFixture.now))
                #expect(try between.exchange(Fixture.get("/hello"))?.status == 200)
                #expect(try old.exchange(Fixture.get("/hello"))?.status == 200)
                let fresh = try client(address)
                #expect(try fresh.exchange(Fixture.get("/hello"))?.status == 200)
                #expect(try peer(fresh).serverCertificate == "round \(round)")
            }
        }
    }

    @Test func `keeps its certificate when the files are no good, and says so once`() async throws {
        try await withServer { _, address in
            let files = TLSFixture.files(in: directory)
            try TestCertificate.replace(files.certificate, "nonsense", mode: 0o644)
            #expect(throws: TLSFault.self) { try listening.everyMinute(now: TLSFixture.now) }
            #expect(try !listening.everyMinute(now: TLSFixture.now))
            #expect(throws: TLSFault.self) { try listening.reload(now: TLSFixture.now) }
            let client = try client(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            #expect(try peer(client).serverCertificate == "own")
        }
    }

    @Test func `new keys of tickets do not bring back a certificate that was replaced meanwhile`() throws {
        let files = TLSFixture.files(in: directory)
        let old = listening.context
        try TestCertificate("next", validUntil: 9_000).write(certificate: files.certificate, key: files.key)
        try listening.reload(now: TLSFixture.now)
        let next = listening.context
        try listening.renewTicketKeys(of: old, now: TLSFixture.now)
        #expect(listening.context === next)
        try listening.renewTicketKeys(of: next, now: TLSFixture.now)
        #expect(listening.context !== next && listening.identity === next.identity)
    }

    /// While the first of two reads its files, the second reads newer ones.
    @Test func `of two readings the later one is in use`() throws {
        let files = TLSFixture.files(in: directory)
        let beside = Locked<(@Sendable () throws -> Void)?>(nil)
        let failure = Locked<(any Error)?>(nil)
        let listening = try TLSListening(files, now: TLSFixture.now) { _ in
            let step = beside.withLock { step in
                defer { step = nil }
                return step
            }
            do { try step?() } catch { failure.withLock { $0 = error } }
            return nil
        }
        beside.withLock {
            $0 = {
                try TestCertificate("next", validUntil: 9_000).write(certificate: files.certificate, key: files.key)
                try listening.reload(now: TLSFixture.now)
            }
        }
        let before = listening.identity.validUntil
        try listening.reload(now: TLSFixture.now)
        #expect(failure.withLock { $0 == nil })
        #expect(listening.identity.validUntil < before)
    }

    @Test func `serves while certificates change under load`() async throws {
        let files = TLSFixture.files(in: directory)
        let isDone = Locked(false)
        let listening = listening
        try await withServer(loops: 2) { _, address in
            let changing = Task(executorPreference: OwnThread()) {
                while !isDone.withLock({ $0 }) {
                    try TestCertificate("next").write(certificate: files.certificate, key: files.key)
                    try listening.reload(now: TLSFixture.now)
                    await Task.yield()
                }
            }
            let kept = try client(address)
            for _ in 0..<60 {
                let fresh = try client(address)
                #expect(try fresh.exchange(Fixture.post("/echo", "one"))?.body == "one")
                #expect(try kept.exchange(Fixture.post("/echo", "two"))?.body == "two")
            }
            isDone.withLock { $0 = true }
            try await changing.value
        }
    }

    // MARK: Certificates of clients

    private func withClientAuthority(
        _ body: (BoundAddress, _ authority: TestCertificate) async throws -> Void
    ) async throws {
        let authority = try TestCertificate("clients", alternatives: nil, isAuthority: true)
        let path = directory.file("clients.pem")
        try TestCertificate.replace(path, authority.certificateText, mode: 0o644)
        let listening = try TLSFixture.listening(in: directory, TestCertificate("own"), clientAuthorities: path)
        let names = Route(.get, "/names") { request in
            guard let names = request.channel?.clientNames else { return Fixture.text("none") }
            let kinds = [names.common, names.dns, names.uris].map { kind in
                kind.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            }
            return Fixture.text(kinds.joined(separator: "|"))
        }
        try await withServer(routes: [names], over: listening) { _, address in try await body(address, authority) }
    }

    /// There are no tickets to give new keys, and what the files say now was not taken with the certificate.
    @Test func `an hour later the authorities are those that came with the certificate`() async throws {
        let (first, second) = (
            try TestCertificate("first", alternatives: nil, isAuthority: true),
            try TestCertificate("second", alternatives: nil, isAuthority: true)
        )
        let path = directory.file("clients.pem")
        try TestCertificate.replace(path, first.certificateText, mode: 0o644)
        let listening = try TLSFixture.listening(in: directory, TestCertificate("own"), clientAuthorities: path)
        // Written together, and the certificate is no good.
        try TestCertificate.replace(path, second.certificateText, mode: 0o644)
        try TestCertificate.replace(TLSFixture.files(in: directory).certificate, "nonsense", mode: 0o644)
        #expect(throws: TLSFault.self) { try listening.everyMinute(now: TLSFixture.now) }
        #expect(try !listening.everyMinute(now: TLSFixture.now + 3700))
        let names = Route(.get, "/names") { Fixture.text("\($0.channel?.clientNames?.common.count ?? 0)") }
        try await withServer(routes: [names], over: listening) { _, address in
            let known = try client(address, .init(certificate: TestCertificate("shop", issuer: first)))
            #expect(try known.exchange(Fixture.get("/names"))?.status == 200)
            let unknown = try client(address, .init(certificate: TestCertificate("shop", issuer: second)))
            do { #expect(try unknown.exchange(Fixture.get("/names")) == nil) } catch {}
        }
        try TestCertificate.replace(path, "nonsense", mode: 0o644)
        #expect(throws: TLSFault.self) { try listening.everyMinute(now: TLSFixture.now + 3760) }
        #expect(try !listening.everyMinute(now: TLSFixture.now + 7400))
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `verifies a client's certificate and tells its names`(version: Int32) async throws {
        try await withClientAuthority { address, authority in
            let own = try TestCertificate(
                "shop", moreNames: ["two"],
                alternatives: "DNS:shop.example,email:a@b.example,URI:urn:shop,DNS:b.example",
                issuer: authority)
            let client = try client(address, .init(least: version, most: version, certificate: own))
            #expect(try client.exchange(Fixture.get("/names"))?.body == "shop two|shop.example b.example|urn:shop")
            let other = try self.client(address, .init(least: version, most: version))
            #expect(try other.exchange(Fixture.get("/names"))?.body == "none")
        }
    }

    @Test func `a name that is too long stands as an empty one, so that another one beside it is not the only one`()
        async throws
    {
        try await withClientAuthority { address, authority in
            let long = "https://a.example/" + String(repeating: "a", count: 300)
            let own = try TestCertificate("shop", alternatives: "URI:\(long),URI:shop", issuer: authority)
            #expect(try client(address, .init(certificate: own)).exchange(Fixture.get("/names"))?.body == "shop|| shop")
        }
    }

    @Test func `refuses a client's certificate of another authority, or one that has expired`() async throws {
        try await withClientAuthority { address, authority in
            for own in [
                try TestCertificate("shop"),
                try TestCertificate("shop", issuer: authority, validFrom: -7200, validUntil: -3600),
            ] {
                // With TLS 1.3 the client learns of it behind its own handshake.
                let client = try client(address, .init(certificate: own))
                do { #expect(try client.exchange(Fixture.get("/names")) == nil) } catch {}
            }
        }
    }
}
