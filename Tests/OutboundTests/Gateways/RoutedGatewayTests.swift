import Locks
import Testing

@testable import Outbound
@testable import Engine
@testable import Possession

@Suite(.timeLimit(.minutes(60))) struct RoutedGatewayTests {
    private typealias Calls = Locked<[String]>

    private static func result(
        _ gateway: RoutedGateway, _ message: OutgoingMessage = GatewayFixture.message()
    ) async -> Result<Acceptance, GatewayFault> {
        do throws(GatewayFault) { return .success(try await gateway.send(message)) } catch { return .failure(error) }
    }

    /// Which gateways were called, and what came of it, where the first one does something and the second takes all.
    private static func played(
        _ first: @escaping @Sendable (OutboundRequest) async throws(OutboundFault) -> OutboundResponse,
        _ message: OutgoingMessage = GatewayFixture.message()
    ) async throws -> (calls: [String], result: Result<Acceptance, GatewayFault>) {
        let calls = Calls([])
        let gateway = try GatewayFixture.routed(["one", "two"]) { (name, request) throws(OutboundFault) in
            calls.withLock { $0.append(name) }
            return name == "one" ? try await first(request) : GatewayFixture.taken
        }
        let result = await result(gateway, message)
        return (calls.withLock { $0 }, result)
    }

    @Test func `the first gateway takes the message, and tells its id`() async throws {
        let (calls, result) = try await Self.played { _ in GatewayFixture.taken }
        #expect(calls == ["one"])
        #expect(try result.get() == Acceptance(gateway: "one", id: "m1", channel: .sms, hasNextRoute: true))
    }

    @Test(arguments: [
        OutboundResponse(status: 429), OutboundResponse(status: 503), OutboundResponse(status: 401),
        OutboundResponse(status: 404), OutboundResponse(status: 422), OutboundResponse(status: 302),
        GatewayFixture.refused("busy"), GatewayFixture.refused("route"), GatewayFixture.refused("account"),
        GatewayFixture.refused("ours"), GatewayFixture.refused("something new"),
    ])
    func `another gateway takes what the first one cannot`(answer: OutboundResponse) async throws {
        let (calls, result) = try await Self.played { _ in answer }
        #expect(calls == ["one", "two"])
        #expect(try result.get().gateway == "two")
    }

    @Test func `who did not take a message is told, whatever becomes of it`() async throws {
        let tries = Locked<[RoutedGateway.Try]>([])
        let gateway = try GatewayFixture.routed(
            ["one", "two"], options: #","circuitFailures":1"#, note: { made in tries.withLock { $0.append(made) } }
        ) { (name, _) throws(OutboundFault) in
            name == "one" ? OutboundResponse(status: 503) : GatewayFixture.taken
        }
        let first = try await Self.result(gateway).get()
        #expect(first.refusals.map(\.gateway) == ["one"] && first.refusals.map(\.outcome) == ["busy"])
        #expect(first.refusals.map(\.channel) == [.sms] && first.refusals[0].reason.contains("503"))
        #expect(tries.withLock { $0 }.map(\.session) == [CorrelationID(bits: 9), CorrelationID(bits: 9)])
        // Its circuit is open now.
        let second = try await Self.result(gateway, GatewayFixture.message(id: 8, session: 10)).get()
        #expect(second.refusals.map(\.outcome) == ["circuit_open"])
        let (_, refused) = try await Self.played { _ in GatewayFixture.refused("number") }
        guard case .failure(let fault) = refused else { return #expect(Bool(false), "it was refused") }
        #expect(fault.refusals.map(\.gateway) == ["one"] && fault.refusals.map(\.outcome) == ["number"])
    }

    @Test func `a gateway that has a time for its first receipt says when that is over`() async throws {
        let file = try GatewayFixture.file(
            #"{"gateways":{"k":{"preset":"kannel","settings":{"baseUrl":"http://127.0.0.1:13013","user":"h"},"#
                + #""secretFiles":{"password":"/secrets/t"}}},"routes":[{"gateways":["k"]}]}"#)
        let gateway = RoutedGateway(
            file.plan(
                send: { _ in OutboundResponse(status: 202, body: Array("3: Queued for later delivery".utf8)) },
                crypto: GatewayFixture.crypto, systemNow: { GatewayFixture.sentAt }), receiptURL: { "\($0)\($1)" })
        let taken = try await Self.result(gateway).get()
        #expect(taken.receiptDue == GatewayFixture.sentAt.adding(.seconds(15)))
        let receipt = ReceiptCall(
            method: "GET", url: "https://h.example/r?state=8", query: Array("state=8".utf8), body: [],
            header: { _ in nil })
        let reading = try #require(try gateway.read(receipt, from: "k"))
        #expect(reading.isTimed && reading.receipt.end == nil)
    }

    @Test func `a connection that does not come about leads to the next gateway`() async throws {
        let (calls, _) = try await Self.played { (_) throws(OutboundFault) in throw .connect }
        #expect(calls == ["one", "two"])
    }

    @Test(arguments: ["number", "refused"])
    func `nobody else is asked about a number that no gateway reaches or that has opted out`(
        kind: String
    ) async throws {
        let (calls, result) = try await Self.played { _ in GatewayFixture.refused(kind) }
        #expect(calls == ["one"])
        guard case .failure(let fault) = result else { return #expect(Bool(false), "it was refused") }
        #expect(fault.kind.rawValue == kind)
    }

    /// The gateway of the preset knows a message that it gets again.
    @Test func `an answer that does not come is asked for once more, and then the message counts as sent`() async throws
    {
        let (calls, result) = try await Self.played { (_) throws(OutboundFault) in throw .timeout }
        #expect(calls == ["one", "one"])
        var taken = try result.get()
        #expect(taken.refusals.map(\.outcome) == ["unsure", "unsure"])
        taken.refusals = []
        #expect(taken == Acceptance(gateway: "one", channel: .sms, isUnsure: true))
    }

    /// The circuit opens with the first try, so that the second one is refused by ourselves.
    @Test func `a message that may be out goes to no other gateway, whatever its second try comes to`() async throws {
        let calls = Calls([])
        let gateway = try GatewayFixture.routed(["one", "two"], options: #","circuitFailures":1"#) {
            (name, _) throws(OutboundFault) in
            calls.withLock { $0.append(name) }
            throw .timeout
        }
        #expect(try await Self.result(gateway).get().isUnsure)
        #expect(calls.withLock { $0 } == ["one"])
    }

    @Test(arguments: [503, 401, 404]) func `a refusal of the second try says nothing of the first`(status: Int)
        async throws
    {
        let count = Locked(0)
        let (calls, result) = try await Self.played { (_) throws(OutboundFault) in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw .timeout }
            return OutboundResponse(status: status)
        }
        #expect(calls == ["one", "one"])
        #expect(try result.get().isUnsure)
    }

    // MARK: A message that another server may have taken

    @Test(arguments: [true, false])
    func `another gateway takes a message only while this server keeps it`(staysKept: Bool) async throws {
        let isKept = Locked(true)
        let (calls, result) = try await Self.played(
            { _ in
                isKept.withLock { $0 = staysKept }
                return OutboundResponse(status: 503)
            }, GatewayFixture.message(isKept: { isKept.withLock(\.self) }))
        #expect(calls == (staysKept ? ["one", "two"] : ["one"]))
        guard case .failure(let fault) = result else { return #expect(staysKept) }
        #expect(!staysKept && fault.isGivenUp && fault.refusals.map(\.gateway) == ["one"])
    }

    @Test func `no other channel is tried once another server may have the message`() async throws {
        let (calls, isKept) = (Calls([]), Locked(true))
        let routes = #"[{"channels": ["whatsapp"], "gateways": ["one"]}, {"gateways": ["two"]}]"#
        let gateway = try GatewayFixture.routed(["one", "two"], routes: routes) { (name, _) in
            calls.withLock { $0.append(name) }
            isKept.withLock { $0 = false }
            return GatewayFixture.refused("number")
        }
        let message = GatewayFixture.message(channels: [.whatsapp, .sms], isKept: { isKept.withLock(\.self) })
        guard case .failure(let fault) = await Self.result(gateway, message) else { return #expect(Bool(false)) }
        #expect(calls.withLock { $0 } == ["one"] && fault.isGivenUp)
    }

    /// It counts as sent, as after a repetition without an answer.
    @Test func `an answer that does not come is not asked for once another server may have the message`() async throws {
        let isKept = Locked(true)
        let (calls, result) = try await Self.played(
            { (_) throws(OutboundFault) in
                isKept.withLock { $0 = false }
                throw .timeout
            }, GatewayFixture.message(isKept: { isKept.withLock(\.self) }))
        #expect(calls == ["one"])
        #expect(try result.get().isUnsure)
    }

    // MARK: Channels

    @Test func `a link takes no gateway that carries codes only`() async throws {
        let message = OutgoingMessage(
            id: MessageID(bits: 1), to: .number(GatewayFixture.number), forms: [.init(.whatsapp, text: "x")], code: nil,
            link: "https://h.example/l/x", correlationID: CorrelationID(bits: 1), country: "US",
            sentAt: GatewayFixture.sentAt, usefulUntil: GatewayFixture.sentAt.adding(.seconds(60)))
        let file = try GatewayFixture.file(
            #"{"gateways":{"w":{"preset":"twilio-whatsapp","settings":{"accountSid":"A","contentSid":"H"},"#
                + #""secretFiles":{"authToken":"/secrets/t"}}},"routes":[{"channels":["whatsapp"],"gateways":["w"]}]}"#)
        let gateway = RoutedGateway(
            file.plan(
                send: { _ in GatewayFixture.taken }, crypto: GatewayFixture.crypto,
                systemNow: { GatewayFixture.sentAt }), receiptURL: { "\($0)\($1)" })
        guard case .failure(let fault) = await Self.result(gateway, message) else { return #expect(Bool(false)) }
        #expect(fault.kind == .route)
    }

    @Test func `another channel is tried where the number has not the first one`() async throws {
        let calls = Calls([])
        let routes = #"[{"channels": ["whatsapp"], "gateways": ["one"]}, {"gateways": ["two"]}]"#
        let gateway = try GatewayFixture.routed(["one", "two"], routes: routes) { (name, request) in
            calls.withLock { $0.append(name) }
            return name == "one" ? GatewayFixture.refused("number") : GatewayFixture.taken
        }
        let result = await Self.result(gateway, GatewayFixture.message(channels: [.whatsapp, .sms]))
        #expect(calls.withLock { $0 } == ["one", "two"])
        #expect(try result.get().channel == .sms)
    }

    @Test func `a route of Viber takes what goes there, and nothing else does`() async throws {
        let gateway = try GatewayFixture.routed(["one"], routes: #"[{"channels": ["viber"], "gateways": ["one"]}]"#) {
            _, _ in GatewayFixture.taken
        }
        let result = await Self.result(gateway, GatewayFixture.message(channels: [.sms, .viber]))
        #expect(try result.get().channel == .viber)
        #expect(gateway.carries(.viber) && !gateway.carries(.sms) && !gateway.carries(.whatsapp))
    }

    @Test func `without a route the fault names channel and country`() async throws {
        let gateway = try GatewayFixture.routed(["one"], routes: #"[{"countries": ["DE"], "gateways": ["one"]}]"#) {
            _, _ in GatewayFixture.taken
        }
        guard case .failure(let fault) = await Self.result(gateway) else { return #expect(Bool(false)) }
        #expect(fault.kind == .route && fault.reason == "no route takes sms to US")
    }

    // MARK: Which gateway

    @Test func `the next message of a session begins with the next gateway`() async throws {
        let gateway = try GatewayFixture.routed(["one", "two", "three"]) { _, _ in GatewayFixture.taken }
        var taken: [String?] = []
        for ordinal in 0..<4 {
            let message = GatewayFixture.message(id: UInt128(ordinal + 1), ordinal: ordinal)
            taken.append(try await Self.result(gateway, message).get().gateway)
        }
        #expect(taken == ["one", "two", "three", "one"])
    }

    @Test func `a resend does not go back to the gateway that a failure led to`() async throws {
        let gateway = try GatewayFixture.routed(["one", "two", "three"]) { name, _ in
            name == "one" ? OutboundResponse(status: 503) : GatewayFixture.taken
        }
        #expect(try await Self.result(gateway, GatewayFixture.message(id: 1)).get().gateway == "two")
        let again = GatewayFixture.message(id: 2, ordinal: 1)
        #expect(try await Self.result(gateway, again).get().gateway == "three")
    }

    @Test func `a message follows the previous one of the session, whichever server has sent that`() async throws {
        let gateway = try GatewayFixture.routed(["one", "two", "three"]) { _, _ in GatewayFixture.taken }
        let other = OutgoingMessage.Taken(MessageID(bits: 5), by: "two")
        func taken(_ id: UInt128, after previous: OutgoingMessage.Taken?) async throws -> String? {
            let message = GatewayFixture.message(id: id, ordinal: 1, previous: previous)
            return try await Self.result(gateway, message).get().gateway
        }
        #expect(try await taken(6, after: other) == "three")
        // This server's own message is newer than what was recorded when it was read.
        #expect(try await taken(7, after: other) == "one")
        // Another server has sent one since.
        #expect(try await taken(9, after: OutgoingMessage.Taken(MessageID(bits: 8), by: "two")) == "three")
    }

    @Test func `what gateways did not deliver goes to another one, as long as there is one`() async throws {
        let gateway = try GatewayFixture.routed(["one", "two"]) { _, _ in GatewayFixture.taken }
        #expect(try await Self.result(gateway).get().hasNextRoute)
        let last = GatewayFixture.message(id: 8, ordinal: 1, avoids: [ExcludedRoute("one", .sms)])
        let taken = try await Self.result(gateway, last).get()
        #expect(taken.gateway == "two" && !taken.hasNextRoute)
        let none = GatewayFixture.message(
            id: 9, ordinal: 2, avoids: [ExcludedRoute("one"), ExcludedRoute("two", .sms)])
        guard case .failure(let fault) = await Self.result(gateway, none) else { return #expect(Bool(false)) }
        #expect(fault.kind == .route)
    }

    @Test func `a gateway that did not deliver on one channel may on another`() async throws {
        let routes = #"[{"channels": ["whatsapp", "sms"], "gateways": ["one"]}]"#
        let gateway = try GatewayFixture.routed(["one"], routes: routes) { _, _ in GatewayFixture.taken }
        func taken(_ avoids: [ExcludedRoute]) async throws -> Acceptance {
            try await gateway.send(GatewayFixture.message(channels: [.whatsapp, .sms], avoids: avoids))
        }
        let first = try await taken([])
        #expect(first.channel == .whatsapp && first.hasNextRoute)
        let next = try await taken([ExcludedRoute("one", .whatsapp)])
        #expect(next.channel == .sms && !next.hasNextRoute)
        await #expect(throws: GatewayFault.self) {
            _ = try await taken([ExcludedRoute("one", .whatsapp), ExcludedRoute("one", .sms)])
        }
        // As it was stored before channels were noted.
        await #expect(throws: GatewayFault.self) { _ = try await taken([ExcludedRoute("one")]) }
    }

    @Test func `the same message goes to the gateway that had it`() async throws {
        let isUp = Locked(false)
        let gateway = try GatewayFixture.routed(["one", "two"]) { name, _ in
            name == "one" && !isUp.withLock { $0 } ? OutboundResponse(status: 503) : GatewayFixture.taken
        }
        #expect(try await Self.result(gateway).get().gateway == "two")
        isUp.withLock { $0 = true }
        #expect(try await Self.result(gateway).get().gateway == "two")
    }

    @Test func `weights share out the first messages`() throws {
        let legs = [MessageRoute.Leg(gateway: "a", weight: 3), MessageRoute.Leg(gateway: "b", weight: 1)]
        let route = MessageRoute(legs: legs)
        var first: [String: Int] = [:]
        for session in 0..<4000 {
            let message = GatewayFixture.message(session: UInt128(session))
            let order = route.order(of: message, after: nil)
            #expect(Set(order.map(\.gateway)) == ["a", "b"])
            first[order[0].gateway, default: 0] += 1
            // The same session is always the same.
            #expect(route.order(of: message, after: nil) == order)
        }
        #expect(first == ["a": 3000, "b": 1000])
    }

    @Test(arguments: [
        (MessageRoute(countries: ["US"], legs: [.init(gateway: "a")]), true),
        (MessageRoute(countries: ["DE"], legs: [.init(gateway: "a")]), false),
        (MessageRoute(prefixes: ["+1206"], legs: [.init(gateway: "a")]), true),
        (MessageRoute(prefixes: ["+1207"], legs: [.init(gateway: "a")]), false),
        (MessageRoute(countries: ["DE"], prefixes: ["+1206"], legs: [.init(gateway: "a")]), true),
        (MessageRoute(channels: [.voice], legs: [.init(gateway: "a")]), false),
        (MessageRoute(tenants: [ClientID("acme")!], legs: [.init(gateway: "a")]), true),
        (MessageRoute(tenants: [ClientID("other")!], legs: [.init(gateway: "a")]), false),
    ])
    func `a route is for its countries, prefixes, channels and clients`(route: MessageRoute, fits: Bool) {
        #expect(route.fits(GatewayFixture.message(), .sms) == fits)
    }

    // MARK: Limits of a gateway

    @Test func `a gateway that keeps failing is left alone for a while`() async throws {
        let clock = FixedInstant()
        let calls = Calls([])
        let gateway = try GatewayFixture.routed(
            ["one", "two"], options: #","circuitFailures":2,"circuitPauseSeconds":30"#, clock: clock
        ) { name, _ in
            calls.withLock { $0.append(name) }
            return name == "one" ? OutboundResponse(status: 500) : GatewayFixture.taken
        }
        for id in 1...4 {
            _ = await Self.result(gateway, GatewayFixture.message(id: UInt128(id), session: UInt128(id)))
        }
        #expect(calls.withLock { $0 } == ["one", "two", "one", "two", "two", "two"])
        #expect(gateway.circuits.map(\.isOpen) == [true, false])
        clock.advance(.seconds(30))
        #expect(gateway.circuits.map(\.isOpen) == [true, false], "nothing has been answered since")
        _ = await Self.result(gateway, GatewayFixture.message(id: 5, session: 5))
        #expect(calls.withLock { $0.suffix(2) } == ["one", "two"])
    }

    @Test func `a gateway is left alone for as long as it asks`() async throws {
        let clock = FixedInstant()
        let calls = Calls([])
        let gateway = try GatewayFixture.routed(["one", "two"], clock: clock) { name, _ in
            calls.withLock { $0.append(name) }
            guard name == "one" else { return GatewayFixture.taken }
            return OutboundResponse(status: 429, headers: [("Retry-After", "20")])
        }
        for (id, pause) in [(1, 0), (2, 19), (3, 1)] {
            clock.advance(.seconds(pause))
            _ = await Self.result(gateway, GatewayFixture.message(id: UInt128(id), session: UInt128(id)))
        }
        #expect(calls.withLock { $0 } == ["one", "two", "two", "one", "two"])
    }

    @Test func `a gateway with enough calls under way is passed over`() async throws {
        let hold = Locked<CheckedContinuation<Void, Never>?>(nil)
        let seen = Locked<[RoutedGateway.Try.Outcome]>([])
        let gateway = try GatewayFixture.routed(
            ["one", "two"], options: #","maxCalls":1"#,
            note: { attempt in seen.withLock { $0.append(attempt.outcome) } }
        ) { name, _ in
            if name == "one" { await withCheckedContinuation { hold.set($0) } }
            return GatewayFixture.taken
        }
        async let first = Self.result(gateway, GatewayFixture.message(id: 1, session: 1))
        while hold.withLock({ $0 == nil }) { await Task.yield() }
        #expect(try await Self.result(gateway, GatewayFixture.message(id: 2, session: 2)).get().gateway == "two")
        #expect(seen.withLock { $0 } == [.full, .taken])
        hold.withLock { $0 }?.resume()
        #expect(try await first.get().gateway == "one")
        #expect(gateway.circuits.map(\.calls) == [0, 0])
    }

    @Test func `no gateway is tried once half of the code's life is over`() async throws {
        let clock = FixedInstant()
        let calls = Calls([])
        let gateway = try GatewayFixture.routed(["one", "two"], clock: clock) { name, _ in
            calls.withLock { $0.append(name) }
            clock.advance(.seconds(60))
            return OutboundResponse(status: 503)
        }
        guard case .failure(let fault) = await Self.result(gateway) else { return #expect(Bool(false)) }
        #expect(calls.withLock { $0 } == ["one"] && fault.kind == .busy)
    }

    @Test func `a dead message is not sent`() async throws {
        let gateway = try GatewayFixture.routed(["one"]) { _, _ in GatewayFixture.taken }
        guard case .failure = await Self.result(gateway, GatewayFixture.message(lifetime: 0)) else {
            return #expect(Bool(false))
        }
    }

    @Test func `other routes take over at once`() async throws {
        let gateway = try GatewayFixture.routed(["one"]) { _, _ in GatewayFixture.taken }
        let other = try GatewayFixture.file(
            #"{"gateways":{"two":{"preset":"hook","settings":{"url":"https://two.example/"},"#
                + #""secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}}},"#
                + #""routes":[{"gateways":["two"]}]}"#)
        gateway.replace(
            with: other.plan(
                send: { _ in GatewayFixture.taken }, crypto: GatewayFixture.crypto,
                systemNow: { GatewayFixture.sentAt }))
        #expect(try await Self.result(gateway).get().gateway == "two")
    }
}

extension Locked<CheckedContinuation<Void, Never>?> {
    fileprivate func set(_ continuation: CheckedContinuation<Void, Never>) { withLock { $0 = continuation } }
}
