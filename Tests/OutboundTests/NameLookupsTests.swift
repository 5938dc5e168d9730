import Locks
import Possession
import Testing
import Text

@testable import Outbound

/// Look-ups of names that API clients have chosen: how many are under way, and of whom.
@Suite(.timeLimit(.minutes(60))) struct NameLookupsTests {
    private static let (shop, bank) = (ClientID("shop")!, ClientID("bank")!)

    /// Look-ups that begin when a place is free, and what has begun.
    private final class Queue {
        private var lookups: NameLookups
        private(set) var now = ContinuousClock.now

        init(of client: Int = 4, in all: Int = 64) {
            var limits = OutboundLimits()
            limits.lookupsPerClient = client
            limits.lookups = all
            lookups = NameLookups(limits)
        }

        func begins(_ name: String, _ call: Int, of client: ClientID = shop) -> Bool {
            lookups.ask(ByteText(name), for: call, of: client, at: now) == .begins
        }

        func knows(_ name: String) -> Bool {
            if case .known = lookups.ask(ByteText(name), for: -1, of: bank, at: now) { return true }
            lookups.forget(-1, ByteText(name))
            return false
        }

        func advance(_ time: Duration) { now += time }

        func forget(_ call: Int, _ name: String) { lookups.forget(call, ByteText(name)) }

        func end(_ name: String, _ addresses: [IPAddress] = []) -> (calls: [Int], next: [String]) {
            let ended = lookups.end(ByteText(name), addresses, at: now)
            return (ended.calls, ended.next.map(\.text))
        }
    }

    @Test func `lets an API client look up four names at a time, and another one as well`() {
        let queue = Queue()
        #expect((0..<10).filter { queue.begins("n\($0).example", $0) } == [0, 1, 2, 3])
        #expect(queue.begins("bank.example", 10, of: Self.bank))
        let ended = queue.end("n2.example")
        #expect(ended.calls == [2] && ended.next == ["n4.example"])
    }

    @Test func `bounds the look-ups of all API clients together`() {
        let queue = Queue(of: 2, in: 5)
        let begun = (0..<10).filter { queue.begins("n\($0).example", $0, of: ClientID("client-\($0)")!) }
        #expect(begun == [0, 1, 2, 3, 4])
        #expect(queue.end("n0.example").next == ["n5.example"])
    }

    @Test func `calls for one name share its look-up, whoever began it`() {
        let queue = Queue(of: 1)
        #expect(queue.begins("a.example", 1))
        #expect(!queue.begins("a.example", 2))
        #expect(!queue.begins("a.example", 3, of: Self.bank))
        #expect(!queue.begins("b.example", 4))
        #expect(!queue.begins("b.example", 5))
        let first = queue.end("a.example")
        #expect(first.calls == [1, 2, 3] && first.next == ["b.example"])
        #expect(queue.end("b.example").calls == [4, 5])
    }

    @Test func `a look-up whose call has ended still counts`() {
        let queue = Queue(of: 1)
        #expect(queue.begins("a.example", 1))
        #expect(!queue.begins("b.example", 2))
        #expect(!queue.begins("c.example", 3))
        queue.forget(1, "a.example")
        queue.forget(2, "b.example")
        let ended = queue.end("a.example")
        #expect(ended.calls == [] && ended.next == ["c.example"], "nobody waits for b any more")
    }

    @Test func `what a name was looked up to serves for a minute, and nothing is no answer`() throws {
        let queue = Queue(of: 1)
        #expect(queue.begins("a.example", 1))
        _ = queue.end("a.example", [try #require(IPAddress("192.0.2.1"))])
        queue.advance(.milliseconds(59_999))
        #expect(queue.knows("a.example"))
        queue.advance(.milliseconds(1))
        #expect(!queue.knows("a.example"))
        _ = queue.end("a.example")
        #expect(!queue.knows("a.example"))
    }

    @Test func `keeps a thousand names, and then forgets the oldest`() throws {
        let queue = Queue()
        let address = try #require(IPAddress("192.0.2.1"))
        for number in 0..<1025 {
            #expect(queue.begins("n\(number).example", number))
            _ = queue.end("n\(number).example", [address])
            queue.advance(.milliseconds(1))
        }
        #expect(!queue.knows("n0.example") && queue.knows("n1.example") && queue.knows("n1024.example"))
    }

    // MARK: Over sockets

    /// A resolver that answers when it is told to, and at once for one name.
    private final class Resolver: Sendable {
        private let asked = Locked<[(name: String, answer: @Sendable ([IPAddress]) -> Void)]>([])
        var names: [String] { asked.withLock { $0.map(\.name) } }

        func lookUp(_ name: String, _ answer: @escaping @Sendable ([IPAddress]) -> Void) {
            if name.begins(with: "alive.example") { return answer([IPAddress("127.0.0.1")!]) }
            asked.withLock { $0.append((name, answer)) }
        }

        func answer() {
            let all = asked.withLock { asked in
                defer { asked = [] }
                return asked
            }
            for one in all { one.answer([]) }
        }
    }

    private static func request(_ url: String, of client: ClientID) throws -> OutboundRequest {
        var request = OutboundRequest(
            method: "GET", url: url, timeout: .seconds(600),
            addresses: .publicAnd(try AddressRanges(list: "127.0.0.1")))
        request.client = client
        return request
    }

    private static func fault(_ client: OutboundHTTP, _ url: String) async -> OutboundFault? {
        do {
            _ = try await client.send(request(url, of: shop))
            return nil
        } catch { return error as? OutboundFault }
    }

    @Test(arguments: [
        ("alive.example", "alive.example"), ("ALIVE.example", "ALIVE.example"), ("alive.example.", "alive.example"),
    ])
    func `reaches the addresses that the look-up has told, over one connection`(host: String, named: String)
        async throws
    {
        let server = try CountingServer { _ in CountingServer.ok }
        let resolver = Resolver()
        var limits = OutboundLimits()
        limits.idleTimeout = .seconds(600)
        let client = OutboundHTTP(connectTimeout: .seconds(600), limits: limits, lookUp: resolver.lookUp)
        for _ in 0..<3 {
            let answer = try await client.send(Self.request("http://\(host):\(server.port)/", of: Self.shop))
            #expect(answer.status == 200)
        }
        #expect(server.connections == 1 && server.heads.allSatisfy { $0.contains("Host: \(named):\(server.port)") })
        await client.shutdown()
    }

    @Test func `connects to no address that may not be called, whatever the look-up tells`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = OutboundHTTP(connectTimeout: .seconds(600)) { _, answer in answer([IPAddress("127.0.0.1")!]) }
        var request = try Self.request("http://inside.example:\(server.port)/", of: Self.shop)
        request.addresses = .publicOnly
        let order = request
        await #expect(throws: OutboundFault.connect) { _ = try await client.send(order) }
        #expect(server.connections == 0)
        await client.shutdown()
    }

    @Test func `names that never answer keep four look-ups, and no other client waiting`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let resolver = Resolver()
        let client = OutboundHTTP(connectTimeout: .seconds(600), lookUp: resolver.lookUp)
        let faults = await withTaskGroup(of: OutboundFault?.self) { group in
            for number in 0..<80 {
                group.addTask {
                    await Self.fault(client, "http://dead\(number).example/")
                }
            }
            while resolver.names.count < 4 { await Task.yield() }
            let answer = try? await client.send(Self.request("http://alive.example:\(server.port)/", of: Self.bank))
            #expect(answer?.status == 200)
            #expect(resolver.names.count == 4)
            await client.shutdown()
            return await group.reduce(into: [OutboundFault]()) { if let fault = $1 { $0.append(fault) } }
        }
        #expect(faults == [OutboundFault](repeating: .cancelled, count: 80))
    }

    @Test func `a name without an address is no connection, and one without an answer is late`() async throws {
        let resolver = Resolver()
        let client = OutboundHTTP(connectTimeout: .seconds(600), lookUp: resolver.lookUp)
        async let fault = Self.fault(client, "http://none.example/")
        while resolver.names.isEmpty { await Task.yield() }
        resolver.answer()
        #expect(await fault == .connect)
        await client.shutdown()
        let hasty = OutboundHTTP(connectTimeout: .milliseconds(20), lookUp: resolver.lookUp)
        await #expect(throws: OutboundFault.timeout) {
            _ = try await hasty.send(Self.request("http://none.example/", of: Self.shop))
        }
        await hasty.shutdown()
    }

    @Test(arguments: [
        ("https://A.example/h", "a.example", 443), ("http://a.example:8080?x", "a.example", 8080),
        ("https://a.example.", "a.example.", 443),
    ])
    func `seeks the name in the URL of an API client`(url: String, name: String, port: Int) throws {
        let sought = try #require(try Self.request(url, of: Self.shop).soughtName)
        #expect(sought.name == ByteText(name) && sought.port == port)
    }

    @Test(arguments: [
        ("https://a.example./h?x=.", "https://a.example/h?x=."), ("http://a.example.:80/", "http://a.example:80/"),
        ("https://a.example", "https://a.example"), ("https://a.example.", "https://a.example"),
    ])
    func `gives libcurl the name without a dot at its end`(url: String, written: String) throws {
        #expect(try Self.request(url, of: Self.shop).urlWithoutLastDot == written)
    }

    @Test(arguments: ["https://127.0.0.1/h", "http://[::1]:80/"])
    func `seeks no name where the host is an address, or the operator has chosen it`(url: String) throws {
        #expect(try Self.request(url, of: Self.shop).soughtName == nil)
        #expect(OutboundRequest(method: "GET", url: "https://a.example", timeout: .seconds(1)).soughtName == nil)
        var behind = try Self.request("https://a.example/", of: Self.shop)
        behind.addresses = .behind(proxy: "http://egress:4750")
        #expect(behind.soughtName == nil, "the proxy looks it up")
    }

    @Test func `the system knows this machine`() async {
        let found = await withCheckedContinuation { waiter in
            SystemNames.lookUp("localhost") { waiter.resume(returning: $0) }
        }
        #expect(!found.isEmpty && found.allSatisfy(\.isLoopback))
    }
}
