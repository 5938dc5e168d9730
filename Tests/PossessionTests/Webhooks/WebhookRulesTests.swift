import Testing
import Text

@testable import Engine
@testable import Possession

@Suite struct WebhookRulesTests {
    @Test func `tries eleven times within 76 hours and a fifth`() {
        var seconds: [Int64] = []
        for attempts in 1..<11 {
            // 32,768 of 65,535 is a little over the middle.
            let delay = WebhookRules.delay(afterAttempts: attempts, wish: nil, spread: 0x7FFF)
            seconds.append((delay?.wholeMilliseconds ?? 0) / 1000)
        }
        let planned: [Int64] = [5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
        #expect(zip(seconds, planned).allSatisfy { abs($0 - $1) <= $1 / 50 + 1 }, "\(seconds)")
        #expect(WebhookRules.delay(afterAttempts: 11, wish: nil, spread: 0) == nil)
    }

    @Test func `spreads attempts by a fifth to either side`() {
        #expect(WebhookRules.delay(afterAttempts: 3, wish: nil, spread: 0) == .seconds(240))
        #expect(WebhookRules.delay(afterAttempts: 3, wish: nil, spread: .max) == .seconds(360))
    }

    @Test func `honours a receiver's wish up to twice the planned time`() {
        #expect(WebhookRules.delay(afterAttempts: 3, wish: .seconds(3600), spread: 0) == .seconds(600))
        #expect(WebhookRules.delay(afterAttempts: 3, wish: .seconds(400), spread: 0) == .seconds(400))
        #expect(WebhookRules.delay(afterAttempts: 3, wish: .zero, spread: 0) == .seconds(240))
    }

    @Test func `a delivery ends with a success, a 410, an abort, or its last attempt`() {
        for (attempt, state) in [
            (WebhookAttempt.taken(204), WebhookDelivery.State.delivered),
            (WebhookAttempt(status: 410, failure: .status), .failed),
            (WebhookAttempt(status: 500, failure: .aborted), .failed),
            (WebhookAttempt(status: 302, failure: .status), .pending),
            (WebhookAttempt(status: nil, failure: .timeout), .pending),
        ] {
            var delivery = delivery(attempts: 0)
            delivery.note(attempt, at: now, spread: 0)
            #expect(
                delivery.state == state && delivery.attempts == 1 && (delivery.nextAt != nil) == (state == .pending))
            #expect(delivery.lastStatus == attempt.status && delivery.lastFailure == attempt.failure)
        }
        var last = delivery(attempts: 10)
        last.note(WebhookAttempt(status: 500, failure: .status), at: now, spread: 0)
        #expect(last.state == .failed)
    }

    // MARK: An endpoint's standing

    @Test func `is disabled after five days and ten failures without a success`() throws {
        let fails = WebhookAttempt(status: 500, failure: .status)
        var endpoint = try endpoint()
        for hour in 0..<9 {
            let isDisabled = endpoint.note(fails, at: now.adding(.seconds(hour * 3600)))
            #expect(!isDisabled)
        }
        // Five days with nine failures, and the tenth.
        #expect(endpoint.isActive && endpoint.failures == 9)
        var early = endpoint
        let isDisabledEarly = early.note(fails, at: now.adding(.seconds(5 * 86_400 - 1)))
        let isDisabled = endpoint.note(fails, at: now.adding(.seconds(5 * 86_400)))
        #expect(!isDisabledEarly && isDisabled)
        #expect(endpoint.stop == .failing && endpoint.stoppedAt == now.adding(.seconds(5 * 86_400)))
        let isDisabledAgain = endpoint.note(fails, at: now.adding(.seconds(6 * 86_400)))
        #expect(!isDisabledAgain, "it is told once")
    }

    @Test func `a success ends the run of failures`() throws {
        var endpoint = try endpoint()
        for _ in 0..<20 { _ = endpoint.note(WebhookAttempt(status: 500, failure: .status), at: now) }
        _ = endpoint.note(.taken(200), at: now)
        #expect(endpoint.failures == 0 && endpoint.failingSince == nil)
    }

    @Test func `a 410 disables at once`() throws {
        var endpoint = try endpoint()
        let isDisabled = endpoint.note(WebhookAttempt(status: 410, failure: .status), at: now)
        #expect(isDisabled && endpoint.stop == .gone)
    }

    @Test func `both keys sign for a day after a rotation`() throws {
        var endpoint = try endpoint()
        let (old, fresh) = (endpoint.keys, WebhookEndpoint.Keys(secret: [9], seed: nil))
        endpoint.replaceKeys(with: fresh, at: now)
        #expect(endpoint.signingKeys(at: now.adding(.seconds(86_399))) == [fresh, old])
        #expect(endpoint.signingKeys(at: now.adding(.seconds(86_400))) == [fresh])
    }

    @Test func `no rotation ends keys that still sign, unless it is forced`() throws {
        var endpoint = try endpoint()
        let old = endpoint.keys
        let (second, third) = (
            WebhookEndpoint.Keys(secret: [2], seed: nil), WebhookEndpoint.Keys(secret: [3], seed: nil)
        )
        let (late, end) = (now.adding(.seconds(86_399)), now.adding(.seconds(86_400)))
        endpoint.replaceKeys(with: second, at: now)
        endpoint.replaceKeys(with: third, at: late)
        #expect(endpoint.signingKeys(at: late) == [second, old])
        #expect(endpoint.oldKeysSign(at: late) == end && endpoint.oldKeysSign(at: end) == nil)
        var forced = endpoint
        forced.replaceKeys(with: third, at: late, isForced: true)
        #expect(forced.signingKeys(at: late) == [third, second])
        endpoint.replaceKeys(with: third, at: end)
        #expect(endpoint.signingKeys(at: end) == [third, second])
    }

    @Test func `keys that sign nothing any more go with the next change`() throws {
        let end = now.adding(WebhookRules.keyOverlap)
        let changes: [(inout WebhookEndpoint, Timestamp) -> Void] = [
            { $0.disable(.byHand, at: $1) }, { $0.enable(at: $1) }, { _ = $0.note(.taken(200), at: $1) },
        ]
        for change in changes {
            var endpoint = try endpoint()
            endpoint.replaceKeys(with: .init(secret: [2], seed: nil), at: now)
            change(&endpoint, end.adding(.milliseconds(-1)))
            #expect(endpoint.otherKeys != nil && endpoint.otherKeysUntil == end)
            endpoint.enable(at: end.adding(.milliseconds(-1)))
            change(&endpoint, end)
            #expect(endpoint.otherKeys == nil && endpoint.otherKeysUntil == nil)
        }
    }

    // MARK: Filters and URLs

    @Test func `a star asks for all but what must be named`() throws {
        let all = try WebhookFilter(["*"])
        #expect(all.matches(.sessionSucceeded) && all.matches(.messageFailed) && !all.matches(.checkFailed))
        let some = try WebhookFilter(["session.*", "check.failed"])
        #expect(some.matches(.sessionExpired) && some.matches(.checkFailed))
        #expect(!some.matches(.checkStarted) && !some.matches(.messageSent))
    }

    @Test(arguments: [
        [], [""], ["session"], ["session."], ["session.none"], [".*"], ["*.created"], ["se*"], ["ping"],
        ["session.*", "Session.created"], Array(repeating: "*", count: 33),
    ])
    func `refuses words that name nothing`(words: [String]) {
        #expect(throws: WebhookDefect.self) { try WebhookFilter(words) }
    }

    @Test(arguments: [
        "https://shop.example/hooks", "https://shop.example:8443/h?token=1", "https://[2606:4700::1111]/h",
        "https://1.1.1.1/h", "https://shop.example./h", "https://0x7f.example/h", "https://x.localhost.example/h",
        "https://SHOP.example",
    ])
    func `takes a URL of a live receiver`(url: String) {
        #expect(WebhookURLRule(allowsLoopback: false).defect(of: url) == nil)
    }

    @Test(arguments: [
        "", "shop.example", "ftp://shop.example", "http://shop.example/h", "http://127.0.0.1/h", "https://",
        "https:///h",
        "https://a@shop.example/", "https://a:b@shop.example/", "https://shop.example/#x", "https://shop.example:0/",
        "https://shop.example:99999/", "https://shop.example:443x/", "https://shop.example:/",
        "https://shop.example:22/",
        "https://sh op.example/", "https://shöp.example/", "https://[::1", "https://[zz]/", "https://me.example/h",
        "https://ME.example:443/h", "https://me.example./h",
        "https://shop.example/" + String(repeating: "a", count: 2048),
    ])
    func `refuses any other`(url: String) {
        let rule = WebhookURLRule(allowsLoopback: false, ownAuthority: "me.example:443")
        #expect(rule.defect(of: url) != nil)
    }

    @Test func `lets a sandbox call its own receiver and nothing else of itself`() {
        let rule = WebhookURLRule(allowsLoopback: true, ownAuthority: "127.0.0.1:8080", ownReceiver: "/receiver")
        for path in ["/receiver", "/receiver?failures=2"] {
            #expect(rule.defect(of: "http://127.0.0.1:8080\(path)") == nil)
        }
        for path in ["", "/", "/receiver/", "/receiver2", "/Receiver", "/./receiver", "?/receiver"] {
            #expect(rule.defect(of: "http://127.0.0.1:8080\(path)") == "names this server")
        }
        let other = WebhookURLRule(allowsLoopback: false, ownAuthority: "me.example:443")
        #expect(other.defect(of: "https://me.example/receiver") == "names this server")
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1.", "10.0.0.1", "169.254.169.254", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]",
        "[64:ff9b::a00:1]", "[2001:db8::1]", "localhost", "localhost.", "a.localhost",
    ])
    func `refuses an address that no webhook goes to, when it is given`(host: String) {
        let rule = WebhookURLRule(allowsLoopback: false)
        #expect(rule.defect(of: "https://\(host)/h") == "is an address that webhooks may not go to")
    }

    @Test(arguments: [
        "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0", "1.1.1.0x1", "0x", "01.1.1.1", "1.1.1.1.1", "7.",
    ])
    func `refuses other spellings of an address`(host: String) {
        let rule = WebhookURLRule(allowsLoopback: true)
        #expect(rule.defect(of: "https://\(host)/h") == "must have an IPv4 address as four decimal numbers")
    }

    @Test(arguments: [".", "..", ".shop.example", "shop..example", "shop.example..", "127.0.0.1.."])
    func `refuses a host with an empty part`(host: String) {
        #expect(WebhookURLRule(allowsLoopback: false).defect(of: "https://\(host)/h") == "has no host, or a wrong port")
    }

    @Test func `takes an address of a network that is listed`() throws {
        let rule = WebhookURLRule(allowsLoopback: false, allowedNetworks: try AddressRanges(list: "10.1.0.0/16,::1"))
        #expect(rule.defect(of: "https://10.1.2.3/h") == nil && rule.defect(of: "https://[::ffff:10.1.2.3]/h") == nil)
        #expect(rule.defect(of: "https://localhost/h") == nil && rule.defect(of: "https://[::1]/h") == nil)
        #expect(rule.defect(of: "https://10.2.2.3/h") != nil && rule.defect(of: "https://127.0.0.1/h") != nil)
    }

    @Test(arguments: [
        ("https://SHOP.example/h?token=1", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("https://shop.example:8443/h", "https://shop.example:8443"), ("http://[::1]:4000/h", "http://[::1]:4000"),
        ("http://127.0.0.1:80?x", "http://127.0.0.1"), ("https:///h", nil), ("ftp://shop.example", nil),
    ])
    func `tells the origin of a URL, without what may hold a token`(url: String, origin: String?) {
        #expect(WebhookURLRule.origin(of: url) == origin)
    }

    @Test func `takes http in sandbox for addresses of this machine only`() {
        let rule = WebhookURLRule(allowsLoopback: true)
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LOCALHOST"] {
            #expect(rule.defect(of: "http://\(host):4000/h") == nil, "\(host)")
        }
        for host in ["127.0.0.1.example", "10.0.0.1", "[::2]", "localhost.example"] {
            #expect(rule.defect(of: "http://\(host):4000/h") != nil, "\(host)")
        }
    }

    // MARK: Names

    @Test func `reads the names of events and endpoints that it wrote`() {
        let id = WebhookEventID(at: now, random: 5)
        #expect(WebhookEventID(name: id.name) == id && id.name.hasPrefix("evt_"))
        #expect(WebhookEventID(name: id.text) == nil && WebhookEndpointID(name: id.name) == nil)
        #expect(id < id.following(1) && id.following(1).text.dropLast(4) == id.text.dropLast(4))
    }

    private let now = Timestamp(seconds: 1_800_000_000)

    private func endpoint() throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: try #require(ClientID("a")), url: "https://a.example",
            filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil), createdAt: now)
    }

    private func delivery(attempts: Int) -> WebhookDelivery {
        WebhookDelivery(
            event: WebhookEvent(
                id: WebhookEventID(bits: 1), clientID: ClientID("a")!, news: WebhookNews(.ping, at: now)),
            endpoint: WebhookEndpointID(bits: 1), attempts: attempts, nextAt: now)
    }
}
