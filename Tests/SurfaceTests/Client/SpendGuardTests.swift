import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

/// What messages may cost, as callers meet it (ABU-05, ABU-07).
@Suite struct SpendGuardTests {
    /// Limits that only the guard and the time between messages are left of.
    private static func options(_ change: (inout SpendGuard) -> Void = { _ in }) -> World.Options {
        World.limited {
            $0.numbersPerBlock = 0
            $0.sendsPerAddressPerTenMinutes = 0
            $0.sendsPerAddressPerDay = 0
            $0.sendsPerCountryPerHour = 0
            $0.sendsPerCountryPerDay = 0
            change(&$0.spend)
        }
    }

    /// Sends a code to `+1206` and these seven digits, and types it where that is asked for.
    private static func send(_ world: World, _ digits: Int, answers: Bool = false) async -> Int {
        let started = await world.start(
            #"{"phoneNumber":"+1206\#(digits)","possessionType":"mobile","clientRequestId":"a"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        let sent = await app.post("/otp").status
        if answers, sent == 200, let code = world.gateway.sent.last?.code?.text {
            #expect(await app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        }
        return sent
    }

    /// A pump asks for codes of 2,000 numbers of one operator, over two days, and types none.
    @Test func `a pumping attack over two thousand numbers costs at most twenty-five messages`() async throws {
        let world = try await World(Self.options())
        var (pumped, ordinary) = (0, 0)
        for index in 0..<2_000 {
            if await Self.send(world, 5_550_000 + index) == 200 { pumped += 1 }
            // Every half hour somebody else in the country signs up.
            if index % 40 == 0 {
                _ = world.clock.advance(seconds: 1_800)
                if await Self.send(world, 3_210_000 + index * 10, answers: true) == 200 { ordinary += 1 }
            }
        }
        #expect(pumped >= 20 && pumped <= 25, "\(pumped)")
        #expect(ordinary == 50)
        #expect(world.hits.withLock { $0 }.allSatisfy { $0 == .prefixClosed })
    }

    @Test func `a prefix whose messages are answered stays open`() async throws {
        let world = try await World(Self.options())
        for index in 0..<100 {
            #expect(await Self.send(world, 5_550_000 + index, answers: index % 4 == 0) == 200)
        }
    }

    @Test func `a closed prefix says no more than that messages to the number wait`() async throws {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        for index in 0..<2 { #expect(await Self.send(world, 5_550_000 + index) == 200) }
        let started = await world.start(
            #"{"phoneNumber":"+12065550009","possessionType":"mobile","clientRequestId":"a"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        let refused = await app.post("/otp")
        #expect(refused.status == 429 && refused.header("retry-after") == "3600")
        #expect(refused.json["message"]?.string?.contains("limit: messages to this number") == true)
        // Another prefix of the country is served.
        #expect(await Self.send(world, 5_560_000) == 200)
    }

    @Test func `one message may try again, and each closing is twice as long`() async throws {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        for index in 0..<3 { _ = await Self.send(world, 5_550_000 + index) }
        var next = 10
        for hours in [1, 2, 4, 8, 12, 12] {
            _ = world.clock.advance(seconds: Int64(hours * 3600 - 60))
            #expect(await Self.send(world, 5_550_000 + next) == 429, "\(hours)")
            _ = world.clock.advance(seconds: 60)
            #expect(await Self.send(world, 5_550_001 + next) == 200, "\(hours)")
            // There is time to answer it, in which nothing closes and nothing else goes.
            #expect(await Self.send(world, 5_550_002 + next) == 429, "\(hours)")
            _ = world.clock.advance(seconds: 240)
            #expect(await Self.send(world, 5_550_003 + next) == 429, "\(hours)")
            next += 4
        }
    }

    @Test func `whoever answers the message on trial opens the prefix, also for those who asked meanwhile`()
        async throws
    {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        for index in 0..<3 { _ = await Self.send(world, 5_550_000 + index) }
        _ = world.clock.advance(seconds: 3600)
        let started = await world.start(
            #"{"phoneNumber":"+12065550010","possessionType":"mobile","clientRequestId":"a"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        #expect(await Self.send(world, 5_550_011) == 429)
        let code = try #require(world.gateway.sent.last?.code?.text)
        #expect(await app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        #expect(await Self.send(world, 5_550_012) == 200)
    }

    @Test func `an answer that comes while the prefix is closed opens nothing`() async throws {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        let started = await world.start(
            #"{"phoneNumber":"+12065550010","possessionType":"mobile","clientRequestId":"a"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        let code = try #require(world.gateway.sent.last?.code?.text)
        for index in 0..<2 { _ = await Self.send(world, 5_550_000 + index) }
        #expect(await app.post("/otp/verify", #"{"code":"\#(code)"}"#).status == 200)
        #expect(await Self.send(world, 5_550_003) == 429)
        #expect(try await world.store.closedPrefixes(limit: 10).count == 1)
    }

    @Test func `messages that no carrier took close nothing`() async throws {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        world.gateway.refuse(true)
        for index in 0..<6 { #expect(await Self.send(world, 5_550_000 + index) != 429) }
        world.gateway.refuse(false)
        #expect(await Self.send(world, 5_550_010) == 200)
    }

    @Test func `an answer opens the prefix for good`() async throws {
        let world = try await World(Self.options { $0.leastMessages = 2 })
        for index in 0..<3 { _ = await Self.send(world, 5_550_000 + index) }
        _ = world.clock.advance(seconds: 3600)
        #expect(await Self.send(world, 5_550_010, answers: true) == 200)
        #expect(await Self.send(world, 5_550_011) == 200)
        #expect(try await world.store.closedPrefixes(limit: 10).isEmpty)
    }

    @Test func `watching tells and refuses nothing`() async throws {
        let world = try await World(
            Self.options {
                $0.leastMessages = 2
                $0.mode = .watch
            })
        for index in 0..<6 { #expect(await Self.send(world, 5_550_000 + index) == 200) }
        #expect(world.hits.withLock { $0 } == Array(repeating: .prefixClosed, count: 4))
    }

    @Test func `off counts nothing`() async throws {
        let world = try await World(
            Self.options {
                $0.leastMessages = 2
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
                case .budgetPerCountry: $0.perCountryPerDay = SpendGuard.unit
                default: $0.perDay = SpendGuard.unit
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
                $0.perDay = SpendGuard.unit
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
        #expect(world.hits.withLock { $0 } == [.budget])
    }

    /// The last line of the tenant's host is in the text that is counted.
    @Test func `what counts is the text as it goes out`() async throws {
        let world = try await World(
            Self.options {
                $0.standardPrice = 3_000
                $0.countsParts = true
                $0.perDay = SpendGuard.unit
            })
        let tenant = try #require(ClientID("sandbox"))
        _ = try await world.store.updateTenant(tenant) {
            $0.rules.messageHost = String(repeating: "a", count: 133)
        }
        for index in 0..<2 { #expect(await Self.send(world, 5_550_000 + index * 10_000) == (index == 0 ? 200 : 429)) }
        #expect(world.gateway.sent.map { $0.forms[0].parts } == [2])
    }

    @Test func `sends at once spend no more than the budget`() async throws {
        let world = try await World(Self.options { $0.perDay = 5 * SpendGuard.unit })
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
}
