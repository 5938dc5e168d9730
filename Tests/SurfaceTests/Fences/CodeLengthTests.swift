import HTTPServer
import Possession
import Sandbox
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

@testable import CamaraSurface
@testable import OtplessSurface
@testable import PreludeSurface
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// In live a code has at least as many digits as the operator says, whatever a call asks for, on every surface.
@Suite(.timeLimit(.minutes(60))) struct CodeLengthTests {
    private static let stranger = "+12015550123"
    private static let reason = "must give codes of at least 6 digits to this client"

    /// - Parameters:
    ///   - least: `nil`: as in a sandbox.
    ///   - allowed: by the API client's own rules.
    private static func options(least: Int? = 6, allowed: Int? = nil) -> World.Options {
        var options = World.Options()
        options.unknownNumbers = .simulate
        options.limits.otpCodeLength = 6
        options.limits.leastCodeDigits = least
        options.rules.leastCodeDigits = allowed
        options.rules.publicKeys = [FakeClientKeys.key(1), FakeClientKeys.key(2)]
        return options
    }

    // MARK: A backend's text

    /// Calls that start a session whose code is sent in the words of the call.
    private static let texts: [(path: String, body: @Sendable (_ text: String) -> String, field: String)] = [
        (
            "/v3/unify", { #"{"phoneNumber":"\#(stranger)","possessionType":"mobile","smsMessage":"\#($0)"}"# },
            "smsMessage"
        ),
        ("/v3/start", { #"{"phoneNumber":"\#(stranger)","flowType":"mobile","smsMessage":"\#($0)"}"# }, "smsMessage"),
        (
            "/v1/server/auth/start",
            {
                #"{"requestId":"r-1","subjects":{"mobile":{"claim":{"mobileNumber":"\#(stranger)"},"#
                    + #""authenticators":{"otp":{"messageText":"\#($0)"}}}}}"#
            }, "subjects.mobile.authenticators.otp.messageText"
        ),
    ]

    @Test(arguments: ["####", "#####", "######"]) func `a text has room for all digits`(place: String) async throws {
        for (path, body, field) in Self.texts {
            let live = try await World(Self.options())
            let answer = await live.post(path, body("Code \(place)"))
            if place.utf8.count == 6 {
                #expect(answer.status == 200, "\(path)")
            } else {
                #expect(answer.status == 400, "\(path)")
                #expect(answer.text == #"{"code":8001,"message":"field '\#(field)' \#(Self.reason)"}"#)
                #expect(try await live.store.recentSessions(limit: 1).isEmpty)
            }
            for options in [Self.options(least: nil), Self.options(allowed: 4)] {
                #expect(await (try World(options)).post(path, body("Code \(place)")).status == 200, "\(path)")
            }
        }
    }

    @Test(arguments: [(4, [200, 200, 200]), (5, [400, 200, 200]), (6, [400, 400, 200]), (nil, [400, 400, 200])])
    func `an API client may have fewer by its rules`(allowed: Int?, statuses: [Int]) async throws {
        let world = try await World(Self.options(allowed: allowed))
        for (place, status) in zip(["####", "#####", "######"], statuses) {
            let answer = await world.post("/v3/unify", Self.texts[0].body("Code \(place)"))
            #expect(answer.status == status, "\(place)")
        }
    }

    /// A rule of the API client allows fewer, and demands no more.
    @Test func `a rule of more digits than the server's changes nothing`() async throws {
        let world = try await World(Self.options(least: 4, allowed: 6))
        #expect(await world.post("/v3/unify", Self.texts[0].body("Code ####")).status == 200)
    }

    @Test func `the text of a link may have a shorter place`() async throws {
        let world = try await World(Self.options())
        let answer = await world.post(
            "/v3/start",
            #"{"phoneNumber":"\#(Self.stranger)","flowType":"desktop","finalTargetUrl":"https://app.example/x","smsMessage":"Open ####"}"#
        )
        #expect(answer.status == 200, "\(answer.text)")
    }

    // MARK: Vendors

    @Test func `Twilio names CustomCode`() async throws {
        let twilio = try await TwilioWorld(Self.options())
        for code in ["1234", "12345"] {
            let refused = await twilio.create(Self.stranger, "&CustomCode=\(code)")
            #expect(refused.status == 400 && refused.code == 60200)
            #expect(refused.json["message"] == .string("Invalid parameter `CustomCode`: \(Self.reason)"))
        }
        #expect(await twilio.create(Self.stranger, "&CustomCode=123456").status == 201)
        // The verification that goes on takes no shorter one either.
        #expect(await twilio.create(Self.stranger, "&CustomCode=1234").code == 60200)
        #expect(twilio.world.gateway.sent.compactMap { $0.code?.text } == ["123456"])
        for options in [Self.options(least: nil), Self.options(allowed: 4)] {
            #expect(await (try TwilioWorld(options)).create(Self.stranger, "&CustomCode=1234").status == 201)
        }
    }

    @Test(arguments: [
        (#""code_size":4"#, "options.code_size", "invalid_code_size"),
        (#""code_size":5"#, "options.code_size", "invalid_code_size"),
        (#""custom_code":"1234""#, "options.custom_code", "invalid_custom_code"),
        (#""custom_code":"12345""#, "options.custom_code", "invalid_custom_code"),
    ]) func `Prelude names the option`(option: String, param: String, code: String) async throws {
        let prelude = try await PreludeWorld(Self.options())
        func create(_ option: String) async -> Response {
            await prelude.create(Self.stranger, #","options":{\#(option)}"#)
        }
        let refused = await create(option)
        #expect(refused.status == 400 && refused.json["code"] == .string(code))
        #expect(refused.json["param"] == .string(param))
        #expect(refused.json["message"] == .string("field '\(param)' \(Self.reason)"))
        #expect(await create(#""code_size":6"#).status == 200)
        #expect(await create(option).json["code"] == .string(code), "nor in the open window")
        #expect(prelude.codes.map(\.utf8.count) == [6])
        for options in [Self.options(least: nil), Self.options(allowed: 4)] {
            let free = try await PreludeWorld(options)
            #expect(await free.create(Self.stranger, #","options":{\#(option)}"#).json["status"] == "success")
        }
    }

    @Test(arguments: [4, 6]) func `OTPLESS names otpLength`(length: Int) async throws {
        let otpless = try await OtplessWorld(Self.options())
        let answers = [
            await otpless.initiate(Self.stranger, #","otpLength":\#(length)"#),
            await otpless.post(
                "/auth/otp/v1/send", #"{"phoneNumber":"\#(Self.stranger)","channel":"SMS","otpLength":\#(length)}"#),
        ]
        for answer in answers {
            guard length < 6 else {
                #expect(answer.status == 200)
                continue
            }
            #expect(answer.status == 400 && answer.errorCode == "7116")
            #expect(answer.json["description"] == .string("field 'otpLength' \(Self.reason)"))
        }
        #expect(otpless.sentCodes.count == (length < 6 ? 0 : 2))
        for options in [Self.options(least: nil), Self.options(allowed: 4)] {
            let free = try await OtplessWorld(options)
            #expect(await free.initiate(Self.stranger, #","otpLength":\#(length)"#).status == 200)
        }
    }

    @Test func `hooks name the member that has the code`() async throws {
        let hooks = try await HookWorld(Self.options())
        let refusals: [(answer: Response, field: String)] = [
            (await hooks.kratos("1234"), "code"),
            (await hooks.supabase(HookWorld.supabaseBody("1234")), "sms.otp"),
            (await hooks.zitadel(HookWorld.zitadelBody(#""code":"1234""#)), "args.code"),
            (await hooks.zitadel(HookWorld.zitadelBody(#""oTP":"12345""#)), "args.oTP"),
        ]
        for (answer, field) in refusals {
            #expect(answer.hookError == 400, "\(field)")
            #expect(answer.hookMessage == "field '\(field)' \(Self.reason)")
        }
        #expect(hooks.codes.isEmpty)
        #expect(await hooks.kratos("123456").status == 200)
        #expect(await hooks.kratos("1234").hookError == 400, "nor where a session goes on")
        for options in [Self.options(least: nil), Self.options(allowed: 4)] {
            #expect(await (try HookWorld(options)).kratos("1234").status == 200)
        }
    }

    /// Else `check-config` would have to name them.
    @Test func `no format's own length is shorter than any operator may ask for`() async throws {
        let longest = TenantRules.leastCodeDigitsBounds.upperBound
        #expect([CamaraRules.length, TwilioRules.codeLength, OtplessRules.codeLength].allSatisfy { $0 >= longest })
        let world = try await World(Self.options())
        let prelude = try await PreludeWorld(on: world)
        #expect(await prelude.create(Self.stranger).json["status"] == "success")
        let camara = try await CamaraWorld(on: world)
        #expect(await camara.send(await camara.token(), to: "+12015550124").status == 200)
        #expect(await (try TwilioWorld(on: world)).create("+12015550125").status == 201)
        #expect(await (try OtplessWorld(on: world)).initiate("+12015550126").status == 200)
        #expect(world.gateway.sent.map { $0.code?.text.utf8.count } == [6, 6, 6, 6])
    }
}
