import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
import Text
@testable import OnboardingSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Activations by plain calls, and what stands before every other call. Tests/EndToEnd/activations.py has a phone that encrypts.
@Suite(.timeLimit(.minutes(60))) struct ActivationTests {
    private static let code = "12345678"

    @Test(arguments: OnboardingWorld.points)
    func `activates a phone by the code of a process, once`(point: String) async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        let made = await onboarding.activate(process, Self.code, point)
        #expect(
            made.status == 200 && made.answered.members.map(\.name) == ["activationId", "serverPublicKey", "ctrData"])
        let id = try #require(made.answered["activationId"]?.string.flatMap { ActivationID($0) })
        let stored = try #require(try await onboarding.world.store.activation(id))
        #expect(stored.standing.status == .active && stored.target == .number(OnboardingWorld.lorant))
        #expect(
            stored.sessionID.text == process && stored.details.name == "Ada's phone" && stored.applicationKey == nil)
        #expect(await onboarding.call("/status", process).processState == "FINISHED")
        let again = await onboarding.activate(process, Self.code, point)
        #expect(again.failure == "ERR_ACTIVATION" && again.json["remainingAttempts"] == 0)
    }

    @Test func `tells the tries that are left beside the status`() async throws {
        let onboarding = try await OnboardingWorld()
        for identification in [OnboardingWorld.known, OnboardingWorld.unknown] {
            let process = await onboarding.start(identification).processID
            for left in [4, 3, 2, 1, 0] {
                let refused = await onboarding.activate(process, "00000000")
                #expect(refused.status == 400 && refused.failure == "ERR_ACTIVATION")
                #expect(refused.json["remainingAttempts"] == .integer(Int64(left)) && refused.json.has("timestamp"))
            }
            #expect(await onboarding.call("/status", process).processState == "FAILED")
            #expect(await onboarding.activate(process, Self.code).json["remainingAttempts"] == 0)
        }
        #expect(try await onboarding.world.store.activations(of: ClientID("sandbox")!, before: nil, most: 9).isEmpty)
    }

    @Test(arguments: ["1234567", "123456789", "abcdefgh", ""])
    func `a code of another form costs no try`(code: String) async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        let refused = await onboarding.activate(process, code)
        #expect(refused.status == 400 && refused.failure == "INVALID_REQUEST")
        #expect(refused.json["remainingAttempts"] == 5)
        #expect(refused.answered["message"]?.string?.contains("otpCode") == true)
        #expect(await onboarding.activate(process, Self.code).status == 200)
    }

    /// The sandbox's code, as people type it.
    @Test(arguments: ["123 45 678", "१२३४५६७८", "1234\u{2013}5678"])
    func `reads a code as a person means it`(code: String) async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        #expect(await onboarding.activate(process, code).status == 200)
    }

    @Test func `a late code costs no try`() async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        _ = onboarding.world.clock.advance(seconds: 300)
        let late = await onboarding.activate(process, Self.code)
        #expect(late.failure == "ERR_ACTIVATION" && late.json["remainingAttempts"] == 5)
        #expect(await onboarding.call("/otp/resend", process).status == 200)
        #expect(await onboarding.activate(process, Self.code).status == 200)
    }

    @Test func `a key that is no point costs a try, whatever the code is`() async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        // The x-coordinate 0 of P-256 has points, 2^256 - 1 is none of its field.
        let none = "A" + String(repeating: "/", count: 43)
        let refused = await onboarding.activate(process, Self.code, none)
        #expect(refused.failure == "INVALID_REQUEST" && refused.json["remainingAttempts"] == 4)
        #expect(refused.answered["message"]?.string?.contains("activationData.devicePublicKey") == true)
        #expect(await onboarding.activate(process, "00000000").json["remainingAttempts"] == 3)
        #expect(await onboarding.activate(process, Self.code).status == 200)
    }

    @Test(arguments: [
        (#"{"type":"CODE"}"#, "type"), (#"{"type":"CUSTOM"}"#, "identityAttributes"),
        (#"{"type":"CUSTOM","identityAttributes":{}}"#, "identityAttributes.processId"),
    ])
    func `names the member that is not as it must be`(body: String, field: String) async throws {
        let onboarding = try await OnboardingWorld()
        let refused = await onboarding.device("/activation/create", #"{"requestObject":\#(body)}"#)
        #expect(refused.status == 400 && refused.failure == "INVALID_REQUEST")
        #expect(refused.answered["message"]?.string?.contains("'requestObject.\(field)'") == true)
        #expect(refused.json["remainingAttempts"] == 1, "the process lives")
    }

    /// The SDKs forget their process by a refusal that tells no tries (`allowOnboardingOtpRetry`).
    @Test func `each refusal that comes before the process is looked at keeps the process alive`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 1
        let limited = try await OnboardingWorld(options)
        var refusals: [(Response, String)] = []
        for _ in 0..<9 {
            let answer = await limited.activate("019b7907-8d58-7500-8000-000000000001", Self.code)
            if answer.status == 429 { refusals.append((answer, "TOO_MANY_REQUESTS")) }
        }
        #expect(!refusals.isEmpty)
        let onboarding = try await OnboardingWorld()
        func order(_ body: String, _ header: String?) async -> Response {
            await onboarding.device("/activation/create", body, header.map { [("X-PowerAuth-Encryption", $0)] } ?? [])
        }
        let key = onboarding.keys.applicationKey
        let envelope =
            #"{"ephemeralPublicKey":"\#(OnboardingWorld.points[0])","encryptedData":"Im5FJi42sIoKKuRQwyKaXw==","#
            + #""mac":"kfqKaModZjh98LCMNOHyVdu2jr+zqIjq8Y185iTz9Qw=","nonce":"5YS/q6v60vqPzZwW/TqOhg==","#
            + #""timestamp":\#(OnboardingWorld.machineTime.milliseconds)"#
        let temporary = #","temporaryKeyId":"7d1b7907-8d58-4500-8000-000000000003"}"#
        refusals.append((await order("[]", nil), "INVALID_REQUEST"))
        refusals.append((await order(String(repeating: " ", count: 70_000), nil), "INVALID_REQUEST"))
        for (version, body, code) in [
            ("3.2", envelope + "}", "ERR_ENCRYPTION"), ("4.0", "{}", "ERR_ENCRYPTION"),
            ("3.3", envelope + temporary, "ERR_TEMPORARY_KEY"),
        ] {
            let header = #"PowerAuth version="\#(version)", application_key="\#(key)""#
            refusals.append((await order(body, header), code))
        }
        for (answer, code) in refusals {
            #expect(answer.failure == code && answer.json["remainingAttempts"] == 1, "\(code): \(answer.text)")
        }
        let route = try #require(onboarding.client.routes.first { $0.pattern == "/pa/v3/activation/create" })
        let busy = route.permit?(Response(status: 503, headers: [("Retry-After", "7")]), Headers())
        #expect(busy?.failure == "ERROR_GENERIC" && busy?.json["remainingAttempts"] == 1)
        #expect(busy?.headers.filter { $0.name == "Retry-After" }.map(\.value) == ["7"])
    }

    @Test func `no other call tells tries`() async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        _ = await onboarding.call("/cleanup", process)
        for path in ["/otp/resend", "/status", "/nothing"] {
            #expect(await !onboarding.call(path, process).json.has("remainingAttempts"))
        }
    }

    @Test func `an id that names no activation has a status as any other`() async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        let id = try #require(await onboarding.activate(process, Self.code).answered["activationId"]?.string)
        for name in [id, id.uppercased(), "019b7907-8d58-7500-8000-000000000001", "x"] {
            let body = #"{"requestObject":{"activationId":"\#(name)","challenge":"C48N0ekaenicTtsb6LEf1g=="}}"#
            let told = await onboarding.device("/activation/status", body)
            #expect(told.status == 200 && told.answered["activationId"]?.string == name)
            #expect(told.answered["encryptedStatusBlob"]?.string?.utf8.count == 44)
            #expect(told.answered["customObject"]?.object == ["activationFlags": []])
        }
    }

    @Test(arguments: ["/signature/validate", "/activation/remove"])
    func `a call without a good signature is not carried out`(path: String) async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        let id = try #require(await onboarding.activate(process, Self.code).answered["activationId"]?.string)
        let good =
            (#"pa_version="3.3", pa_activation_id="\#(id)", pa_application_key="\#(onboarding.keys.applicationKey)", "#
                + #"pa_nonce="C48N0ekaenicTtsb6LEf1g==", pa_signature_type="possession_knowledge", "#
                + #"pa_signature="Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ=""#)
        var headers = [
            "PowerAuth \(good)", "Bearer x", "PowerAuth ", "PowerAuth pa_version=\"3.3\"",
            "PowerAuth " + good.replacing("possession_knowledge", with: "possession"),
            "PowerAuth " + good.replacing(id, with: "x"),
        ].map { [("X-PowerAuth-Authorization", $0)] }
        headers += [[], [headers[0][0], headers[0][0]]]
        for header in headers {
            let refused = await onboarding.device(path, "{}", header)
            #expect(refused.status == 401 && refused.failure == "ERR_AUTHENTICATION", "\(header)")
            #expect(refused.headers.contains { $0.name == "WWW-Authenticate" })
        }
        let activation = try #require(ActivationID(id))
        let stored = try #require(try await onboarding.world.store.activation(activation))
        #expect(stored.failedAttempts == 1 && stored.standing.status == .active)
        let other = await onboarding.device(
            path, "{}", [("X-PowerAuth-Authorization", "PowerAuth " + good.replacing("3.3", with: "4.0"))])
        #expect(other.status == 401 && other.failure == "ERR_AUTHENTICATION")
        #expect(other.answered["detail"]?.string?.contains("3.2 and 3.3") == true)
    }

    /// As the vendor's server has it (`PowerAuthAuthenticationProvider`, and `ActivationController` for a removal).
    @Test(arguments: [
        ("/activation/remove", SignatureFactors.severalFactors),
        ("/signature/validate", SignatureFactors.withPossession),
        ("/token/create", SignatureFactors.withPossession), ("/token/remove", SignatureFactors.withPossession),
        ("/vault/unlock", SignatureFactors.severalFactors),
    ])
    func `looks at no signature of factors that a call does not take`(
        path: String, taken: Set<SignatureFactors>
    ) async throws {
        for factors in SignatureFactors.allCases {
            let onboarding = try await OnboardingWorld()
            let process = await onboarding.start().processID
            let id = try #require(await onboarding.activate(process, Self.code).answered["activationId"]?.string)
            let header =
                #"PowerAuth pa_version="3.3", pa_activation_id="\#(id)", "#
                + #"pa_application_key="\#(onboarding.keys.applicationKey)", pa_nonce="C48N0ekaenicTtsb6LEf1g==", "#
                + #"pa_signature_type="\#(factors.rawValue)", "#
                + #"pa_signature="\#(Base64.encode([UInt8](repeating: 7, count: 16 * factors.count)))""#
            let refused = await onboarding.device(path, "{}", [("X-PowerAuth-Authorization", header)])
            #expect(refused.status == 401 && refused.failure == "ERR_AUTHENTICATION")
            let activation = try #require(ActivationID(id))
            let failures = try await onboarding.world.store.activation(activation)?.failedAttempts
            #expect(failures == (taken.contains(factors) && factors != .possession ? 1 : 0), "\(factors)")
        }
    }

    @Test func `a signed call that the rate refuses has done nothing`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 2
        let onboarding = try await OnboardingWorld(options)
        let process = await onboarding.start().processID
        _ = onboarding.world.clock.advance(seconds: 10)
        let made = await onboarding.activate(process, Self.code)
        let id = try #require(made.answered["activationId"]?.string.flatMap { ActivationID($0) })
        _ = onboarding.world.clock.advance(seconds: 10)
        let header =
            #"PowerAuth pa_version="3.3", pa_activation_id="\#(id.text)", "#
            + #"pa_application_key="\#(onboarding.keys.applicationKey)", pa_nonce="C48N0ekaenicTtsb6LEf1g==", "#
            + #"pa_signature_type="possession_knowledge", pa_signature="Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ=""#
        var statuses: [Int] = []
        for _ in 0..<4 {
            statuses.append(
                await onboarding.device("/activation/remove", "{}", [("X-PowerAuth-Authorization", header)]).status)
        }
        #expect(Set(statuses) == [401, 429])
        let stored = try #require(try await onboarding.world.store.activation(id))
        #expect(stored.failedAttempts == statuses.count { $0 == 401 })
    }

    @Test func `plain orders are refused where plain calls are off`() async throws {
        let onboarding = try await OnboardingWorld(acceptsPlain: false)
        let refused = await onboarding.activate("019b7907-8d58-7500-8000-000000000001", Self.code)
        #expect(refused.status == 400 && refused.failure == "ERR_ENCRYPTION")
    }

    @Test(arguments: ["", "x", "a.b.c"])
    func `no key is given out for a request that is none`(jwt: String) async throws {
        let onboarding = try await OnboardingWorld()
        let refused = await onboarding.device("/keystore/create", #"{"requestObject":{"jwt":"\#(jwt)"}}"#)
        #expect(refused.status == 400)
        #expect(refused.failure == (jwt.isEmpty ? "INVALID_REQUEST" : "ERR_TEMPORARY_KEY"))
    }
}
