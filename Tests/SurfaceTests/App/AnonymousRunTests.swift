import HTTPServer
import Possession
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

@testable import PreludeSurface
@testable import ProveSurfaces
@testable import SurfaceTestSupport

/// Harm that somebody without credentials can have done to somebody else, where limits hold over sessions.
@Suite struct AnonymousRunTests {
    private static let target = "https://shop.example/done"

    private func page(_ change: (inout World.Options) -> Void = { _ in }) async throws -> (World, WebPage) {
        var options = World.limited()
        options.app?.finalTargetURL = try FinalTargetURL(Self.target)
        options.rules.anyFinalTargetHost = true
        options.rules.finalTargetHosts = ["*.partner.example"]
        change(&options)
        let world = try await World(options)
        return (world, WebPage(world))
    }

    /// Each member of the calls that ask for no credentials, and what a stranger gains by it. A new member needs a line.
    private static let gains: [String: [String: String]] = [
        "initializeFlow": [
            "flowType":
                "a code or a link, to the number that is named: within the limits of the number and the address",
            "phoneNumber": "a message in the operator's words to that number, within the limits",
            "finalTargetUrl": "nothing: the operator's page, or a host that is registered",
            "dob": "nothing: compared later, never shown", "ssn": "nothing: compared later, never shown",
            "last4SSN": "nothing: as ssn", "emailAddress": "nothing: kept with the run, nothing is sent there",
            "ipAddress": "nothing: dropped", "smsMessage": "nothing: refused", "allowOTPRetry": "nothing: dropped",
            "locale": "the operator's text in another of the operator's languages",
        ],
        "verifyFlow": [
            "authId": "nothing: in live a run opens by its flow token", "dob": "a guess about a number of one's own",
            "ssn": "a guess about a number of one's own", "last4SSN": "as ssn",
        ],
        "preludeStartInApp": [
            "phone_number": "a message in the operator's words to that number, within the limits",
            "signals_dispatch_id": "nothing: the notice of a phone, which proves nothing",
        ],
        "preludeCheckInApp": [
            "phone_number": "with the code: one of the five checks of that number's window",
            "verification_code": "as phone_number",
        ],
    ]

    @Test func `each member says what a stranger gains by it`() {
        let names = [
            InitializeFlow.call.id: InitializeFlow.body.names, VerifyFlow.call.id: VerifyFlow.body.names,
            StartInApp.call.id: StartInApp.body.names, CheckInApp.call.id: CheckInApp.body.names,
        ]
        #expect(names.mapValues { Set($0) } == Self.gains.mapValues { Set($0.keys) })
    }

    @Test func `words no message to anybody`() async throws {
        let (world, page) = try await page()
        let answer = await page.initialize(
            World.number(1), #","smsMessage":"A payment of $950 is held. Call 206 555 0199 with case ####""#)
        #expect(
            answer.status == 400 && answer.json["message"]?.string?.contains("'smsMessage'") == true, "\(answer.text)")
        #expect(world.gateway.sent.isEmpty)
    }

    @Test func `a person may type the prefix for calls abroad, and a backend may not`() async throws {
        let (world, page) = try await page()
        let number = World.number(4)
        #expect(await page.initialize("011" + number.dropFirst()).status == 200)
        let state = await page.app.redeem()
        let masked = state.json["phone"]?.object?["masked"]?.string
        #expect(masked?.hasSuffix(number.suffix(4)) == true && masked?.utf8.count == number.utf8.count, "\(state.text)")
        let start = #"{"phoneNumber":"011\#(number.dropFirst())","possessionType":"mobile","clientRequestId":"a"}"#
        #expect(await world.post("/v3/unify", start).status == 400)
    }

    @Test func `codes have the server's own length, and the tries that the operator allows`() async throws {
        for (allows, tries) in [(true, 3), (false, 1)] {
            let (_, page) = try await page { $0.app?.allowsOTPRetry = allows }
            for asked in ["true", "false"] {
                _ = await page.initialize(World.number(2), #","allowOTPRetry":\#(asked)"#)
                let app = page.app
                _ = await app.redeem()
                let otp = await app.read().json["otp"]?.object
                #expect(otp?["attemptsLeft"]?.integer == Int64(tries) && otp?["codeLength"]?.integer == 4)
            }
        }
    }

    @Test(arguments: [
        (target, true), ("https://a.partner.example/x", true), ("https://evil.example/", false),
        ("https://partner.example.evil.example/", false), ("http://localhost/x", false),
    ])
    func `a link leads to the operator's page or a registered host`(target: String, passes: Bool) async throws {
        let (_, page) = try await page()
        let answer = await page.post(
            "/initialize", #"{"flowType":"desktop","phoneNumber":"\#(World.number(3))","finalTargetUrl":"\#(target)"}"#)
        #expect(answer.status == (passes ? 200 : 400), "\(answer.text)")
    }
}
