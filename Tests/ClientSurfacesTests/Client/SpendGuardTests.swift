import HTTPServer
import Locks
@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
import Text
import StrictJSON
import TestSupport
import Testing

/// Limits on the cost of messages, as callers meet them (ABU-07).
@Suite struct SpendGuardTests {
    /// Limits that only budgets are left of.
    private static func options(_ change: (inout SpendGuard) -> Void = { _ in }) -> World.Options {
        World.limited {
            $0.sizes = BucketSizes(address: 0, network: 0, prefix: 0, country: 0)
            change(&$0.spend)
        }
    }

    /// Sends a code to `+1206` and these seven digits, and types it where that is asked for.
    private static func send(
        _ world: World, _ digits: Int, answers: Bool = false, as client: String = "sandbox"
    ) async -> Int {
        let started = await world.start(
            #"{"phoneNumber":"+1206\#(digits)","possessionType":"mobile","clientRequestId":"a"}"#, as: client)
        let app = App(world, started)
        _ = await app.redeem()
        let sent = await app.post("/otp").status
        if answers, sent == 200, let code = world.gateway.sent.last?.code?.text {
            #expect(await app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        }
        return sent
    }

    // MARK: modes

    @Test func `watching tells and refuses nothing`() async throws {
        var options = Self.options {
            $0.perTenantPerDay = 4 * SpendGuard.unit
            $0.mode = .watch
        }
        options.limits.overSessions?.sizes = BucketSizes(address: 0, network: 0, prefix: 0, country: 16)
        let world = try await World(options)
        for index in 0..<6 { #expect(await Self.send(world, 5_550_000 + index) == 200) }
        #expect(world.hits.withLock { $0 } == [.budgetPerTenant, .budgetPerTenant])
    }

    @Test func `off counts nothing`() async throws {
        let world = try await World(
            Self.options {
                $0.perDay = 2
                $0.mode = .off
            })
        for index in 0..<6 { #expect(await Self.send(world, 5_550_000 + index) == 200) }
        #expect(world.hits.withLock { $0 }.isEmpty)
    }

    // MARK: budgets

    /// ABU-07.
    @Test(arguments: [LimitName.budget, .budgetPerTenant, .budgetPerCountry])
    func `messages cost no more than their budget in a day`(limit: LimitName) async throws {
        let world = try await World(
            Self.options {
                // Three at 0.30 are within 1, a fourth is not.
                $0.standardPrice = 3_000
                switch limit {
                case .budgetPerTenant: $0.perTenantPerDay = SpendGuard.unit
                // Two clients: a quarter is kept for the other one.
                case .budgetPerCountry: $0.perCountryPerDay = 4 * SpendGuard.unit / 3
                default: $0.perDay = 4 * SpendGuard.unit / 3
                }
            })
        for index in 0..<3 { #expect(await Self.send(world, 5_550_000 + index * 10_000) == 200) }
        for index in 3..<5 { #expect(await Self.send(world, 5_550_000 + index * 10_000) == 429) }
        #expect(world.hits.withLock { $0 } == [limit, limit])
        _ = world.clock.advance(seconds: 86_400 + 720)
        #expect(await Self.send(world, 5_700_000) == 200)
    }

    /// 160 characters that GSM-7 does not have are three parts, 67 in each.
    @Test(arguments: [(true, 1), (false, 3)])
    func `each part of a message costs as much, where there are prices`(countsParts: Bool, most: Int) async throws {
        let world = try await World(
            Self.options {
                $0.standardPrice = 3_000
                $0.countsParts = countsParts
                $0.perTenantPerDay = SpendGuard.unit
            })
        let text = "####" + String(repeating: "ą", count: 156)
        for index in 0...most {
            let started = await world.start(
                #"""
                {"phoneNumber":"+1206\#(5_550_000 + index * 10_000)","possessionType":"mobile","clientRequestId":"a",\#
                "smsMessage":"\#(text)"}
                """#)
            let app = App(world, started)
            _ = await app.redeem()
            #expect(await app.post("/otp").status == (index < most ? 200 : 429), "\(index)")
        }
        #expect(world.gateway.sent.allSatisfy { $0.forms[0].parts == 3 } && world.gateway.sent.count == most)
        #expect(world.hits.withLock { $0 } == [.budgetPerTenant])
    }

    /// The last line of the tenant's host is in the text that is counted.
    @Test func `what counts is the text as it goes out`() async throws {
        let world = try await World(
            Self.options {
                $0.standardPrice = 3_000
                $0.countsParts = true
                $0.perTenantPerDay = SpendGuard.unit
            })
        let tenant = try #require(ClientID("sandbox"))
        _ = try await world.store.updateTenant(tenant) {
            $0.rules.messageHost = String(repeating: "a", count: 133)
        }
        for index in 0..<2 { #expect(await Self.send(world, 5_550_000 + index * 10_000) == (index == 0 ? 200 : 429)) }
        #expect(world.gateway.sent.map { $0.forms[0].parts } == [2])
    }

    @Test func `sends at once spend no more than the budget`() async throws {
        let world = try await World(Self.options { $0.perTenantPerDay = 5 * SpendGuard.unit })
        let statuses = await withTaskGroup(of: Int.self) { group in
            for index in 0..<20 { group.addTask { await Self.send(world, 5_550_000 + index * 10_000) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 5 && world.gateway.sent.count == 5)
    }

    @Test func `a message dearer than the whole budget is not sent`() async throws {
        let world = try await World(
            Self.options {
                $0.standardPrice = 2 * SpendGuard.unit
                $0.perDay = SpendGuard.unit
            })
        #expect(await Self.send(world, 5_550_000) == 429)
    }

    // MARK: shares

    /// Five addresses spent the budget of all API clients; one API client spent that of a country.
    @Test(arguments: [LimitName.budget, .budgetPerCountry])
    func `each client has a part of the budget that others cannot spend`(limit: LimitName) async throws {
        let world = try await World(
            Self.options {
                if limit == .budget {
                    $0.perDay = 20 * SpendGuard.unit
                } else {
                    $0.perCountryPerDay = 20 * SpendGuard.unit
                }
            })
        var sent = 0
        for index in 0..<30 where await Self.send(world, 5_550_000 + index) == 200 { sent += 1 }
        #expect(sent == 15, "its own five and the ten that are common")
        #expect(world.hits.withLock { Set($0) } == [limit])
        sent = 0
        for index in 0..<30 where await Self.send(world, 5_650_000 + index, as: "sandbox-2") == 200 { sent += 1 }
        #expect(sent == 5)
    }

    @Test func `a budget that was lowered lets nothing more through`() async throws {
        let world = try await World(Self.options { $0.perDay = 100 * SpendGuard.unit })
        for index in 0..<10 { #expect(await Self.send(world, 5_550_000 + index) == 200) }
        var limits = world.engine.limits
        limits.overSessions?.spend.perDay = 10 * SpendGuard.unit
        world.engine.take(limits)
        for index in 10..<13 { #expect(await Self.send(world, 5_550_000 + index) == 429) }
        #expect(world.hits.withLock { $0 } == [.budget, .budget, .budget])
        // The part of another client is left.
        #expect(await Self.send(world, 5_650_000, as: "sandbox-2") == 200)
    }

    /// Starts a run without credentials at an address, and asks for a code.
    private static func sendAnonymously(_ world: World, _ digits: Int, from address: String) async -> Int {
        var request = World.request(.post, "/initialize", #"{"flowType":"mobile","phoneNumber":"+1206\#(digits)"}"#)
        request.peer = PeerAddress(IPAddress(address))
        let answer = await world.client.send(request)
        let app = App(world, World.Started(correlationID: "", token: answer.json["authToken"]?.string ?? ""))
        _ = await app.redeem()
        return await app.post("/otp").status
    }

    /// The client may spend 240 of the budget of 320. Callers without credentials may spend a fifth of it, 48. Half of that is for
    /// unknown networks, and half of their part is there at once: 12.
    @Test func `a network without credentials spends half of what is there, and leaves the next ones theirs`()
        async throws
    {
        let world = try await World(Self.options { $0.perDay = 320 * SpendGuard.unit })
        func sent(_ network: Int, tries: Int = 20) async -> Int {
            var sent = 0
            for index in 0..<tries {
                let (digits, address) = (5_000_000 + network * 1_000 + index, "198.51.\(network).\(index + 1)")
                if await Self.sendAnonymously(world, digits, from: address) == 200 { sent += 1 }
            }
            return sent
        }
        #expect(await sent(1) == 6)
        #expect(await sent(2) == 3)
        #expect(await sent(3, tries: 1) == 1, "one that has used nothing finds room")
        #expect(world.hits.withLock { Set($0) } == [.budgetPerTenant])
        #expect(await Self.send(world, 5_660_000) == 200, "the client's own backend goes on")
        _ = world.clock.advance(seconds: 4 * 3_600)
        #expect(await sent(4) > 0, "it fills up by the hour")
    }

    /// 17 addresses closed the sign-up for a day.
    @Test func `what unknown networks may spend in a day stays the same`() async throws {
        let world = try await World(Self.options { $0.perDay = 320 * SpendGuard.unit })
        var sent = 0
        for round in 0..<24 {
            for network in 0..<17 {
                let (digits, address) = (5_000_000 + round * 100 + network, "198.51.\(network).\(round + 1)")
                if await Self.sendAnonymously(world, digits, from: address) == 200 { sent += 1 }
            }
            _ = world.clock.advance(seconds: 3_600)
        }
        #expect((12...24).contains(sent))
    }

    /// E-mails of strangers closed the sign-up by SMS.
    @Test func `e-mails without a price use up nothing that messages to numbers need`() throws {
        var spend = SpendGuard()
        spend.perDay = 10 * SpendGuard.unit
        func purchase(_ country: String?) -> Purchase {
            Purchase(
                tenant: ClientID("shop")!, country: country, price: spend.price(of: country), share: [], clients: 1)
        }
        let (mail, message) = (purchase(nil), purchase("US"))
        #expect(Set(mail.keys(by: spend)).isDisjoint(with: message.keys(by: spend)))
        spend.emailPrice = 1
        #expect(!Set(mail.keys(by: spend)).isDisjoint(with: message.keys(by: spend)))
    }

    /// D2: prices on a running installation stopped all messages for a day.
    @Test func `messages that were counted are no money`() async throws {
        var spend = SpendGuard()
        spend.perTenantPerDay = 100 * SpendGuard.unit
        let before = spend.key(ofTenant: ClientID("shop")!, in: spend.ledger)
        spend.countsParts = true
        #expect(spend.key(ofTenant: ClientID("shop")!, in: spend.ledger) != before)
    }
}
