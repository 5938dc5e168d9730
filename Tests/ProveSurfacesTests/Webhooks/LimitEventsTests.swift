import HTTPServer
import StrictJSON
import TestSupport
import Testing

@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport

/// `risk.*` and `budget.*`: what systems are told of limits, and who is.
@Suite struct LimitEventsTests {
    /// A world whose two clients have an endpoint each, and one that sees the whole server.
    private final class Site: Sendable {
        let world: World
        let (own, other, server): (WebhookEndpointID, WebhookEndpointID, WebhookEndpointID)

        init(
            _ options: World.Options, _ change: (inout Possession.Limits.OverSessions) -> Void = { _ in }
        ) async throws {
            var options = options
            if var over = options.limits.overSessions {
                change(&over)
                options.limits.overSessions = over
            }
            world = try await World(options)
            let store = world.store
            func add(_ bits: UInt128, _ client: String, _ includes: Set<WebhookEndpoint.Inclusion>) async throws
                -> WebhookEndpointID
            {
                let endpoint = WebhookEndpoint(
                    id: WebhookEndpointID(bits: bits), clientID: try #require(ClientID(client)),
                    url: "https://a.example/h", filter: try WebhookFilter(["risk.*", "budget.*"]), includes: includes,
                    keys: .init(secret: [], seed: nil), createdAt: Timestamp(milliseconds: 0))
                #expect(try await store.add(endpoint, most: 10))
                return endpoint.id
            }
            own = try await add(1, "sandbox", [])
            other = try await add(2, "sandbox-2", [])
            server = try await add(3, "sandbox-2", [.server])
        }

        func send(_ digits: Int, answers: Bool = false) async -> Int {
            // Ids of one moment have no order.
            _ = world.clock.advance(seconds: 1)
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

        /// Oldest first.
        func news(at endpoint: WebhookEndpointID) async throws -> [WebhookNews] {
            let deliveries = try await world.store.webhookDeliveries(at: endpoint, of: nil, in: nil, limit: 100)
            for delivery in deliveries { delivery.event.news.expectDescribed() }
            return deliveries.map(\.event.news).reversed()
        }
    }

    private static func options(_ change: (inout SpendGuard) -> Void) -> World.Options {
        World.limited {
            $0.sizes = BucketSizes(address: 0, network: 0, prefix: 6, country: 0)
            change(&$0.spend)
        }
    }

    private static func facts(_ news: WebhookNews) -> [String: WebhookFact.Value] {
        Dictionary(uniqueKeysWithValues: news.facts.map { ($0.name, $0.value) })
    }

    @Test func `tells a client once that a prefix is scarce, and that it has plenty again`() async throws {
        let site = try await Site(
            Self.options { _ in }, { $0.sizes = BucketSizes(address: 0, network: 0, prefix: 15, country: 0) })
        for index in 0..<20 { _ = await site.send(5_550_000 + index) }
        _ = site.world.clock.advance(seconds: 40 * 86_400)
        #expect(await site.send(5_551_000, answers: true) == 200)
        let news = try await site.news(at: site.own)
        #expect(news.map(\.type) == [.riskBlocked, .riskCleared])
        let facts = Self.facts(news[0])
        #expect(facts["rule"] == .text("prefix_closed") && facts["scope"] == .text("prefix"))
        #expect(facts["prefix"] == .text("+1206555") && facts["clientId"] == .text("sandbox"))
        #expect(news.allSatisfy { $0.session == nil && $0.target == nil })
        #expect(try await site.news(at: site.server).map(\.type) == [.riskBlocked, .riskCleared])
        // It is of this client's messages alone.
        #expect(try await site.news(at: site.other).isEmpty)
    }

    @Test func `tells of a guard that watches what it would have stopped`() async throws {
        let site = try await Site(Self.options { $0.mode = .watch })
        for index in 0..<9 { #expect(await site.send(5_550_000 + index) == 200) }
        #expect(try await site.news(at: site.server).map(\.type) == [.riskWatched])
    }

    @Test func `tells a client once a day that its budget is near its end, and that it is spent`() async throws {
        let site = try await Site(Self.options { $0.perTenantPerDay = 5 * SpendGuard.unit })
        for index in 0..<8 { _ = await site.send(5_550_000 + index * 10_000) }
        let news = try await site.news(at: site.own)
        #expect(news.map(\.type) == [.budgetWarning, .budgetExhausted])
        let (warning, spent) = (Self.facts(news[0]), Self.facts(news[1]))
        #expect(warning["used"] == .text("4") && warning["limit"] == .text("5") && spent["used"] == .text("5"))
        #expect(spent["scope"] == .text("client") && spent["clientId"] == .text("sandbox"))
        #expect(spent["period"] == .text("day") && spent["guard"] == .text("block"))
        #expect(try await site.news(at: site.server).map(\.type) == [.budgetWarning, .budgetExhausted])
        #expect(try await site.news(at: site.other).isEmpty)
        _ = site.world.clock.advance(seconds: 86_400 + 720)
        for index in 0..<6 { _ = await site.send(5_650_000 + index * 10_000) }
        #expect(try await site.news(at: site.own).count == 4)
    }

    @Test(arguments: [("server", LimitName.budget), ("country", .budgetPerCountry)])
    func `tells of a budget that all clients share only who sees the whole server`(
        scope: String, limit: LimitName
    ) async throws {
        let site = try await Site(
            Self.options {
                $0.standardPrice = 3_000
                if limit == .budget {
                    $0.perDay = 2 * SpendGuard.unit
                } else {
                    $0.perCountryPerDay = 2 * SpendGuard.unit
                }
            })
        for index in 0..<6 { _ = await site.send(5_550_000 + index * 10_000) }
        let news = try await site.news(at: site.server)
        #expect(news.map(\.type) == [.budgetWarning, .budgetExhausted])
        let facts = Self.facts(news[1])
        #expect(facts["scope"] == .text(scope) && facts["used"] == .text("1"))
        let country = site.world.engine.network.numbers.country(of: try #require(PhoneNumber(e164: "+12065550000")))
        #expect(facts["country"] == (scope == "country" ? country.map { .text($0) } : nil) && facts["clientId"] == nil)
        #expect(try await site.news(at: site.own).isEmpty)
    }

    @Test func `tells with the masked number that a check has come to its full stop`() throws {
        let number = try #require(PhoneNumber(e164: "+12065550001"))
        var tallies = LimitTallies()
        for _ in 0..<101 {
            tallies.countFailure(
                [LimitKey(.refusedLinks, number, of: ClientID("shop")!)], by: .init(), at: Timestamp(milliseconds: 1))
        }
        let news = tallies.webhookNews
        #expect(news.count == 1 && news.first?.client?.text == "shop" && news.first?.news.target == .number(number))
        let facts = Self.facts(try #require(news.first?.news))
        #expect(facts["rule"] == .text("failures_in_a_row") && facts["limit"] == .text("refused_links"))
        #expect(facts["scope"] == .text("number") && facts["failuresInARow"] == .integer(100))
    }

    @Test func `tells a client of a number in bad standing`() async throws {
        let site = try await Site(World.Options())
        let started = await site.world.start(
            #"{"possessionType":"mobile","phoneNumber":"\#(World.agretha)","checkReputation":true}"#)
        await site.world.prove(started)
        let news = try await site.news(at: site.own)
        #expect(news.map(\.type) == [.riskBlocked] && news.first?.session != nil)
        let facts = Self.facts(try #require(news.first))
        #expect(facts["rule"] == .text("reputation") && facts["scope"] == .text("number"))
        #expect(try await site.news(at: site.server).isEmpty)
    }

    @Test(arguments: [(0, "0"), (1, "0.0001"), (12_500, "1.25"), (40_000, "4"), (100_100, "10.01")])
    func `writes units as people read them`(units: Int, text: String) {
        #expect(SpendGuard.text(ofUnits: units) == text)
    }
}
