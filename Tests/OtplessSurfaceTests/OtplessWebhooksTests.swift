import HTTPServer
import StrictJSON
import TestSupport
import Testing
import Text
import Tokens

@testable import OtplessSurface
@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Events in OTPLESS's words, byte for byte.
@Suite struct OtplessWebhooksTests {
    private static let now = Timestamp(milliseconds: 1_767_225_603_214)
    private static let session = CorrelationID("0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b")!
    private static let client = ClientID("shop")!
    private static let number = PhoneNumber(e164: "+12015550123")!
    private static let keyed = try! KeyedDigests(MasterKey([UInt8](repeating: 1, count: 32))!)
    private static let secret = (0..<32).map { UInt8($0) }

    private static func event(
        _ type: WebhookEventType, product: String = "otpless", target: Target? = Target("+12015550123"),
        session: CorrelationID? = session, checks: [String] = ["otp"], order: String? = nil,
        _ facts: [WebhookFact?] = []
    ) -> WebhookEvent {
        // A silent check has a name of the caller's; a code has one where it is an order.
        let isSilent =
            checks.contains(CheckName.mobileAuth.rawValue)
            || [.checkPassed, .checkFailed, .sessionExpired].contains(type)
        let common: [WebhookFact?] = [
            .text("clientRequestId", isSilent ? "c-1" : order), .text("product", product),
            WebhookFact("metadata", .map(SessionMetadata([.init("order", "7")]))),
            WebhookFact("channels", .texts(["whatsapp", "sms"])), WebhookFact("checks", .texts(checks)),
        ]
        let news = WebhookNews(type, at: now, session: session, of: target, common + facts)
        return WebhookEvent(id: WebhookEventID(bits: 3), clientID: client, news: news, sequence: 4)
    }

    private static func posting(
        _ event: WebhookEvent, keys: [WebhookEndpoint.Keys] = [.init(secret: secret, seed: nil)]
    ) throws -> WebhookPosting? {
        let endpoint = WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: client, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), format: .otpless, keys: keys[0], createdAt: now)
        let dialect = OtplessWebhooks(
            mac: { MessageCode.hmac(.sha256, key: $0, $1) }, keyed: keyed,
            numbers: PlannedNumbers { _ in PlannedNumber(number, kind: .mobile, region: "US") })
        return try dialect.posting(event, to: endpoint, keys: keys)
    }

    private static func body(_ event: WebhookEvent) throws -> String? {
        try posting(event).map { String(decoding: $0.body, as: UTF8.self) }
    }

    private static func body(_ type: String, _ data: String) -> String {
        #"{"eventType":"\#(type)","timestamp":1767225603214,"data":{\#(data),"metaData":{"order":"7"}}}"#
    }

    private static let id = #""requestId":"0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b""#

    private static func details(_ method: String, _ channels: String) -> String {
        #""authenticationDetails":{"phone":{\#(id),"method":"\#(method)","channel":[\#(channels)],"#
            + #""phoneNumber":"2015550123","countryCode":"+1"}}"#
    }

    // MARK: Messages

    @Test(arguments: [
        (WebhookEventType.messageSent, "SENT"), (.messageDelivered, "DELIVERED"), (.messageUndelivered, "FAILED"),
    ]) func `a message that goes out, arrives or does not`(type: WebhookEventType, status: String) throws {
        #expect(
            try Self.body(Self.event(type, [.text("channel", "voice")]))
                == Self.body(
                    "DLR", #"\#(Self.id),"status":"\#(status)","channel":"VOICE_CALL","identity":"12015550123""#))
    }

    @Test func `an order is told of by the caller's own name`() throws {
        let body = try #require(try Self.body(Self.event(.sessionCreated, order: "order-7")))
        #expect(body.contains(#""phone":{"requestId":"order-7","#) && !body.contains(Self.id))
        let sent = try #require(try Self.body(Self.event(.messageSent, order: "order-7", [.text("channel", "sms")])))
        #expect(sent.contains(#""data":{"requestId":"order-7","status":"SENT""#))
    }

    @Test func `a message that no carrier takes has no channel`() throws {
        #expect(
            try Self.body(Self.event(.messageFailed))
                == Self.body("DLR", #"\#(Self.id),"status":"FAILED","identity":"12015550123""#))
    }

    @Test func `a link that was opened`() throws {
        #expect(
            try Self.body(Self.event(.linkTapped, checks: ["link"]))
                == Self.body("DLR", #"\#(Self.id),"status":"CLICKED","identity":"12015550123""#))
    }

    // MARK: Verifications

    @Test(arguments: [
        (["otp"], "OTP", #""WHATSAPP","SMS""#), (["link"], "MAGICLINK", #""WHATSAPP","SMS""#),
        (["otp", "link"], "OTP_LINK", #""WHATSAPP","SMS""#), (["mobile_auth"], "SILENT_AUTH", #""SILENT_AUTH""#),
        (["mobile_auth", "otp"], "SILENT_AUTH", #""SILENT_AUTH","WHATSAPP","SMS""#),
    ]) func `a request that begins`(checks: [String], method: String, channels: String) throws {
        #expect(
            try Self.body(Self.event(.sessionCreated, checks: checks))
                == Self.body("AUTH", #""status":"INITIATED",\#(Self.details(method, channels))"#))
    }

    @Test(arguments: [("whatsapp", "WHATSAPP", ["otp"]), ("mobile_auth", "SILENT_AUTH", ["mobile_auth", "otp"])])
    func `a way that took the place of another`(from: String, word: String, checks: [String]) throws {
        let channels = checks.count == 1 ? #""WHATSAPP","SMS""# : #""SILENT_AUTH","WHATSAPP","SMS""#
        let facts = [WebhookFact.text("fromChannel", from), .text("toChannel", "sms")]
        #expect(
            try Self.body(Self.event(.messageChannelChanged, checks: checks, facts))
                == Self.body(
                    "AUTH",
                    #""status":"FALLBACK",\#(Self.details("OTP", channels)),"fromChannel":"\#(word)","toChannel":"SMS""#
                ))
    }

    @Test(arguments: [
        ("otp", ["otp"], "OTP", #""WHATSAPP","SMS""#), ("link", ["otp", "link"], "MAGICLINK", #""WHATSAPP","SMS""#),
        ("mobile_auth", ["mobile_auth", "otp"], "SILENT_AUTH", #""SILENT_AUTH""#),
    ]) func `a success has the token that the backend can ask about`(
        proof: String, checks: [String], method: String, channels: String
    ) throws {
        let body = try Self.body(Self.event(.sessionSucceeded, checks: checks, [.text("method", proof)]))
        let token = OneTapToken.text(of: Self.session, for: Self.client, Self.keyed)
        #expect(
            body == Self.body("AUTH", #""status":"SUCCESS",\#(Self.details(method, channels)),"token":"\#(token)""#))
        #expect(OneTapToken.session(of: token, for: Self.client, Self.keyed) == Self.session)
    }

    @Test func `a request of an address`() throws {
        let body = try #require(try Self.body(Self.event(.sessionCreated, target: Target("Ada@example.com"))))
        #expect(body.contains(#""email":{\#(Self.id),"method":"OTP""#))
        #expect(body.contains(#""email":"Ada@example.com"}}"#) && !body.contains("phone"))
    }

    // MARK: Silent checks

    private static let silent =
        #""correlationId":"c-1","status":"#
    private static let phone = #""phoneDetail":{"countryCode":"1","country":"US","type":"MOBILE"}"#

    @Test func `a silent check that passed`() throws {
        #expect(
            try Self.body(Self.event(.checkPassed, checks: ["mobile_auth"], [.text("method", "mobile_auth")]))
                == Self.body("SNA", #"\#(Self.id),\#(Self.silent)"SUCCESS",\#(Self.phone)"#))
    }

    @Test(arguments: [
        ("mismatch", "SP40011", "Number mismatch"), ("unavailable", "SP40003", "Verification failed"),
        ("not_opened", "SP40012", "Link expired"), ("late", "SP40014", "Timeout"), ("client", "SP40024", "Cancelled"),
    ]) func `a silent check that failed`(reason: String, code: String, message: String) throws {
        let facts = [WebhookFact.text("method", "mobile_auth"), .text("reason", reason)]
        #expect(
            try Self.body(Self.event(.checkFailed, checks: ["mobile_auth"], facts))
                == Self.body(
                    "SNA",
                    #"\#(Self.id),\#(Self.silent)"FAILED",\#(Self.phone),"error":{"errorCode":"\#(code)","errorMessage":"\#(message)"}"#
                ))
    }

    @Test func `a silent request that nobody opened is over, and one with a code is not told as such`() throws {
        let body = try Self.body(Self.event(.sessionExpired, checks: ["mobile_auth"]))
        #expect(body?.contains(#""errorCode":"SP40012""#) == true)
        #expect(try Self.body(Self.event(.sessionExpired, checks: ["mobile_auth", "otp"])) == nil)
        #expect(try Self.body(Self.event(.sessionExpired)) == nil)
    }

    // MARK: What is told, and how it is signed

    @Test(arguments: WebhookEventType.allCases)
    func `has words for exactly the events that its endpoints are told of`(type: WebhookEventType) throws {
        for product in ["otpless", "otpless2", "unify"] {
            for method in ["otp", "link", "mobile_auth", "device", nil] {
                for checks in [["otp"], ["mobile_auth"], ["mobile_auth", "otp"]] {
                    let event = Self.event(type, product: product, checks: checks, [.text("method", method)])
                    #expect(try (Self.posting(event) != nil) == WebhookEndpoint.Format.otpless.tells(of: event.news))
                }
            }
        }
        #expect(try Self.posting(Self.event(type, session: nil)) == nil)
    }

    @Test(arguments: [
        (WebhookEventType.checkPassed, "mobile_auth", true), (.checkPassed, "link", false),
        (.checkPassed, "otp", false),
        (.checkFailed, "mobile_auth", true), (.checkFailed, "otp", false), (.checkStarted, "mobile_auth", false),
    ]) func `an endpoint that asks for all is told of silent checks too`(
        type: WebhookEventType, method: String, isTold: Bool
    ) throws {
        let news = Self.event(type, [.text("method", method)]).news
        func asks(_ format: WebhookEndpoint.Format, _ words: [String]) throws -> Bool {
            WebhookSubscription(
                endpoint: WebhookEndpointID(bits: 1), filter: try WebhookFilter(words), format: format, since: Self.now
            ).asks(for: news)
        }
        #expect(try asks(.otpless, ["*"]) == isTold)
        #expect(try asks(.otpless, ["session.*", "message.*"]) == false)
        #expect(try asks(.standard, ["*"]) == false)
        #expect(try asks(.standard, ["check.*"]))
    }

    /// The digest is by another implementation: Python's `hmac`.
    @Test func `the signature is HMAC-SHA-256 over the body, by the text of the secret`() throws {
        let posting = try #require(try Self.posting(Self.event(.messageFailed)))
        #expect(WebhookSigning.text(ofSecret: Self.secret) == "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(posting.headers.map(\.name) == ["Content-Type", "X-Signature"])
        #expect(posting.headers.map(\.value) == ["application/json", "NudKWkXwR4xOn+YGsZuQPe9N9HoolGE0+bb3uKK3tco="])
    }

    @Test func `the newest secret signs`() throws {
        let old = WebhookEndpoint.Keys(secret: [9], seed: nil)
        let event = Self.event(.messageSent)
        let (both, new) = (
            try Self.posting(event, keys: [.init(secret: Self.secret, seed: [1]), old]), try Self.posting(event)
        )
        #expect(both?.headers.last?.value == new?.headers.last?.value && new != nil)
    }
}
