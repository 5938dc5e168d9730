import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OnboardingSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// A process from its start to its end.
@Suite(.timeLimit(.minutes(60))) struct ProcessTests {
    @Test func `sends a code of eight digits`() async throws {
        let onboarding = try await OnboardingWorld()
        let started = await onboarding.start()
        #expect(started.status == 200 && started.processState == "ACTIVATION_IN_PROGRESS")
        let config = started.answered["config"]?.object
        #expect(config?["otpResendPeriodSeconds"] == 30 && config?["otpResendPeriod"] == "PT30S")
        let message = try #require(onboarding.world.gateway.sent.last)
        #expect(message.to == .number(OnboardingWorld.lorant) && message.code?.text == "12345678")
        #expect(message.correlationID.text == started.processID)
    }

    @Test func `gives codes in a sandbox alone`() async throws {
        let live = try await OnboardingWorld.live()
        #expect(!live.client.routes.contains { $0.pattern == ReadCode.call.path })
    }

    @Test func `tells how it stands`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        let there = await onboarding.call("/status", id)
        #expect(there.processState == "ACTIVATION_IN_PROGRESS" && there.processID == id)
        _ = onboarding.world.clock.advance(seconds: 10_799)
        #expect(await onboarding.call("/status", id).processState == "ACTIVATION_IN_PROGRESS")
        _ = onboarding.world.clock.advance(seconds: 1)
        let over = await onboarding.call("/status", id)
        #expect(over.status == 200 && over.processState == "FAILED" && !over.answered.has("config"))
    }

    /// Success without an activation would leave the app with a finished process and no keys.
    @Test func `a developer may end a process, and only a phone completes it`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        let path = "/sandbox/sessions/\(id)/complete"
        let refused = await onboarding.world.post(path, #"{"outcome":"success"}"#)
        #expect(refused.status == 409 && refused.json["code"] == 8003)
        #expect(refused.json["message"]?.string?.contains("POST /pa/v3/activation/create") == true)
        #expect(await onboarding.call("/status", id).processState == "ACTIVATION_IN_PROGRESS")
        #expect(await onboarding.world.get("/sandbox/sessions/\(id)").json["surface"] == "onboarding")
        #expect(await onboarding.activate(id, "12345678").status == 200)
        #expect(await onboarding.world.post(path, #"{"outcome":"success"}"#).json["message"] == "the session has ended")
        let other = await onboarding.start().processID
        let ended = await onboarding.world.post("/sandbox/sessions/\(other)/complete", #"{"outcome":"failure"}"#)
        #expect(ended.json["outcome"] == "failed" && ended.json["surface"] == "onboarding")
        #expect(await onboarding.call("/status", other).processState == "FAILED")
    }

    @Test func `goes on by the same credentials, and by no others`() async throws {
        let onboarding = try await OnboardingWorld()
        let first = await onboarding.start(#"{"clientNumber":"12345"}"#).processID
        // Within the pause nothing else is sent.
        #expect(await onboarding.start(#"{"clientNumber":12345}"#).processID == first)
        #expect(onboarding.world.gateway.sent.count == 1)
        _ = onboarding.world.clock.advance(seconds: 30)
        #expect(await onboarding.start(#"{"clientNumber":"12345","email":null}"#).processID == first)
        #expect(onboarding.world.gateway.sent.count == 2)
        #expect(await onboarding.start(#"{"clientNumber":"12345","email":""}"#).processID != first)
        #expect(await onboarding.start(#"{"clientnumber":"12345"}"#).processID != first)
    }

    @Test func `blanks at the ends of a value are not said`() async throws {
        let onboarding = try await OnboardingWorld()
        let first = await onboarding.start().processID
        #expect(await onboarding.start(#"{"clientNumber":" 12345\t"}"#).processID == first)
        #expect(onboarding.finder.asked.withLock { Set($0.map(\.entries)) } == [[.init("clientNumber", "12345")]])
    }

    @Test func `begins anew where the one before is over, or is another person's`() async throws {
        let person = FakePerson(.number(OnboardingWorld.lorant))
        let onboarding = try await OnboardingWorld(finder: FakeFinder { _ in person.found })
        let first = await onboarding.start().processID
        #expect(await onboarding.call("/cleanup", first).status == 200)
        let second = await onboarding.start().processID
        #expect(second != first)
        person.become(.number(PhoneNumber(e164: "+12001004015")!))
        let third = await onboarding.start().processID
        #expect(third != second)
        #expect(await onboarding.call("/status", second).processState == "ACTIVATION_IN_PROGRESS")
    }

    @Test func `starts one process where many calls come at once`() async throws {
        let onboarding = try await OnboardingWorld()
        let ids = await withTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { await onboarding.start().processID } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && onboarding.world.gateway.sent.count == 1)
    }

    @Test func `sends again after the pause`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        _ = onboarding.world.clock.advance(seconds: 29)
        let early = await onboarding.call("/otp/resend", id)
        #expect(early.status == 400 && early.failure == "ONBOARDING_OTP_FAILED")
        #expect(early.header("Retry-After") == "1" && onboarding.world.gateway.sent.count == 1)
        _ = onboarding.world.clock.advance(seconds: 1)
        let again = await onboarding.call("/otp/resend", id)
        #expect(again.status == 200 && again.json["status"] == "OK" && again.json.count == 1)
        #expect(onboarding.world.gateway.sent.count == 2)
        // The second of two at once is too early.
        _ = onboarding.world.clock.advance(seconds: 30)
        async let one = onboarding.call("/otp/resend", id).status
        async let other = onboarding.call("/otp/resend", id).status
        #expect(await [one, other].sorted() == [200, 400] && onboarding.world.gateway.sent.count == 3)
    }

    @Test func `sends twenty messages at most`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        for _ in 1..<20 {
            _ = onboarding.world.clock.advance(seconds: 30)
            #expect(await onboarding.call("/otp/resend", id).status == 200)
        }
        _ = onboarding.world.clock.advance(seconds: 30)
        let over = await onboarding.call("/otp/resend", id)
        #expect(over.failure == "ONBOARDING_OTP_FAILED" && over.header("Retry-After") == nil)
        #expect(onboarding.world.gateway.sent.count == 20)
        // The process goes on, and another start of it sends nothing.
        #expect(await onboarding.start().processID == id)
        #expect(onboarding.world.gateway.sent.count == 20)
    }

    @Test func `is ended, and stays so`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        for _ in 1...2 {
            let ended = await onboarding.call("/cleanup", id)
            #expect(ended.status == 200 && ended.json["status"] == "OK")
        }
        #expect(await onboarding.call("/status", id).processState == "FAILED")
        _ = onboarding.world.clock.advance(seconds: 30)
        #expect(await onboarding.call("/otp/resend", id).failure == "ONBOARDING_FAILED")
        #expect(onboarding.world.gateway.sent.count == 1)
    }

    @Test(arguments: ["/status", "/otp/resend", "/cleanup"]) func `is none of another surface`(path: String)
        async throws
    {
        let onboarding = try await OnboardingWorld()
        let session = await onboarding.world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        #expect(!session.correlationID.isEmpty)
        let answer = await onboarding.call(path, session.correlationID)
        #expect(answer.status == 400 && answer.failure == "ONBOARDING_FAILED")
        let id = await onboarding.start().processID
        let status = await onboarding.world.post("/v3/unify-status", #"{"correlationId":"\#(id)"}"#)
        #expect(status.status == 400 && status.json["success"] != true)
    }

    @Test func `is worded in the person's language`() async throws {
        var options = World.Options()
        options.texts = World.texts
        let onboarding = try await OnboardingWorld(options)
        _ = await onboarding.post(
            "/start", #"{"identification":\#(OnboardingWorld.known)}"#, language: "de-AT,de;q=0.9,en;q=0.1")
        let message = try #require(onboarding.world.gateway.sent.last)
        #expect(message.text == "de 12345678 Example")
    }

    @Test func `a code that is sent again is worded in the language of the call that sends it`() async throws {
        var options = World.Options()
        options.texts = World.texts
        let onboarding = try await OnboardingWorld(options)
        let said = #"{"identification":\#(OnboardingWorld.known)}"#
        let id = await onboarding.post("/start", said, language: "en").processID
        for (path, body, language, expected) in [
            ("/otp/resend", #"{"processId":"\#(id)"}"#, "de" as String?, "de "), ("/start", said, "pt-BR", "pt-BR "),
            ("/otp/resend", #"{"processId":"\#(id)"}"#, nil, "pt-BR "), ("/start", said, "fr", "en "),
        ] {
            _ = onboarding.world.clock.advance(seconds: 31)
            #expect(await onboarding.post(path, body, language: language).status == 200)
            #expect(onboarding.world.gateway.sent.last?.text.hasPrefix(expected) == true, "\(path) \(language ?? "")")
        }
        #expect(onboarding.world.gateway.sent.count == 5)
    }

    @Test func `gives its code where it waits for one`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start().processID
        func detail(_ kind: String) async -> Response {
            await onboarding.post("/otp/detail", #"{"processId":"\#(id)","otpType":"\#(kind)"}"#)
        }
        #expect(await detail("ACTIVATION").answered["otpCode"] == "12345678")
        #expect(await detail("USER_VERIFICATION").failure == "ONBOARDING_FAILED")
        #expect(await detail("OTHER").failure == "INVALID_REQUEST")
        _ = await onboarding.call("/cleanup", id)
        #expect(await detail("ACTIVATION").failure == "ONBOARDING_FAILED")
    }

    @Test func `tells a carrier's refusal in a sandbox alone`() async throws {
        let onboarding = try await OnboardingWorld()
        onboarding.world.gateway.refuse(true)
        let refused = await onboarding.start()
        #expect(refused.status == 400 && refused.failure == "ONBOARDING_OTP_FAILED")
        // Nothing was sent, so there is no pause.
        onboarding.world.gateway.refuse(false)
        #expect(await onboarding.start().status == 200 && onboarding.world.gateway.sent.count == 1)
    }

    @Test(arguments: [
        ("{}", "'requestObject' is missing"), (#"{"requestObject":null}"#, "'requestObject' is missing"),
        (#"{"requestObject":[]}"#, "'requestObject' must be an object"),
        (#"{"requestObject":{}}"#, "'requestObject.identification' is missing"),
        (#"{"requestObject":{"identification":"x"}}"#, "'requestObject.identification' must be an object"),
        (#"{"requestObject":{"identification":{}}}"#, "'requestObject.identification' must be an object of 1 to 32"),
        (#"{"requestObject":{"identification":{"a":null}}}"#, "must be an object of 1 to 32"),
        (#"{"requestObject":{"identification":{"":"a"}}}"#, "must be an object of 1 to 32"),
        (#"{"requestObject":{"identification":{"a":1.5}}}"#, "must be an object of 1 to 32"),
        (#"{"requestObject":{"identification":{"a":{}}}}"#, "must be an object of 1 to 32"),
        (#"{"requestObject":{"identification":{"a":"1","a":"1"}}}"#, "a member name is there twice"),
    ])
    func `refuses what it cannot read, by name`(body: String, reason: String) async throws {
        let onboarding = try await OnboardingWorld()
        let answer = await onboarding.client.send(World.request(.post, "/api/onboarding/start", body))
        #expect(answer.status == 400 && answer.failure == "INVALID_REQUEST")
        #expect(answer.answered["message"]?.string?.contains(reason) == true, "\(answer.text)")
        #expect(answer.json["timestamp"]?.integer == OnboardingWorld.machineTime.milliseconds)
        #expect(onboarding.finder.asked.withLock { $0.isEmpty })
    }

    @Test func `bounds what somebody says of themselves`() async throws {
        let onboarding = try await OnboardingWorld()
        func said(_ count: Int, value: Int = 1, name: Int = 2) -> String {
            let members = (0..<count).map { index in
                let name = String(repeating: "n", count: name - 2) + String(10 + index)
                return #""\#(name)":"\#(String(repeating: "v", count: value))""#
            }
            return "{" + members.joined(separator: ",") + "}"
        }
        #expect(await onboarding.start(said(32, value: 256, name: 64)).status == 200)
        for wrong in [said(33), said(1, value: 257), said(1, name: 65), said(80)] {
            #expect(await onboarding.start(wrong).failure == "INVALID_REQUEST")
        }
        let large = await onboarding.start(said(89, value: 700))
        #expect(large.status == 413 && large.failure == "INVALID_REQUEST")
    }

    /// Members that the SDKs from 2.0.0 on cannot do without, and the one that those of 1.x read.
    @Test(arguments: ["{}", #"{"processType":"ONBOARDING"}"#])
    func `tells apps how onboarding is done`(asked: String) async throws {
        let onboarding = try await OnboardingWorld()
        let request = World.request(.post, "/api/configuration", #"{"requestObject":\#(asked)}"#)
        let told = await onboarding.client.send(request)
        #expect(
            told.answered == [
                "enabled": true, "otpForIdentification": true, "otpForIdentityVerification": false,
                "useTemporaryActivation": false, "otpResendPeriodSeconds": 30,
                "documents": ["totalRequiredDocumentsCount": 0, "groups": []], "onboarding": ["enabled": true],
            ])
    }

    @Test(arguments: [
        ("/pa/v4/keystore/create", true), ("/pa/v2/activation/create", true), ("/pa/v3/vault/lock", false),
        ("/pa/v", false), ("/pa/voucher", false), ("/pa/v33/status", true), ("/api/identity/init", false),
    ])
    func `answers a path that is not there in the vendor's shape`(path: String, isOfVersion: Bool) async throws {
        let onboarding = try await OnboardingWorld()
        let answer = await onboarding.client.send(World.request(.post, path, "{}"))
        #expect(answer.status == 404 && answer.failure == "ERROR_NOT_FOUND" && answer.json["status"] == "ERROR")
        #expect(answer.json["timestamp"]?.integer == OnboardingWorld.machineTime.milliseconds)
        #expect((answer.answered["detail"]?.string?.contains("3.2 and 3.3") == true) == isOfVersion)
    }

    @Test func `tells the machine's time`() async throws {
        let onboarding = try await OnboardingWorld()
        _ = onboarding.world.clock.advance(seconds: 3_600)
        for body in ["{}", "", "nonsense"] {
            let answer = await onboarding.client.send(World.request(.post, "/pa/v3/status", body))
            #expect(answer.answered["serverTime"]?.integer == OnboardingWorld.machineTime.milliseconds)
            #expect(answer.answered["application"]?.object?["version"] == "1.2.3")
        }
    }

    @Test func `takes no plain calls where they are off`() async throws {
        let onboarding = try await OnboardingWorld(acceptsPlain: false)
        let answer = await onboarding.start()
        #expect(answer.status == 400 && answer.failure == "ERR_ENCRYPTION")
        #expect(onboarding.world.gateway.sent.isEmpty)
    }

    @Test func `takes none for an API client that may not call`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = try #require(ClientID("sandbox"))
        let now = onboarding.world.clock.now()
        #expect(try await onboarding.world.store.updateTenant(id) { $0.revokedAt = now } != nil)
        let answer = await onboarding.start()
        #expect(answer.status == 400 && answer.failure == "INVALID_APPLICATION")
    }
}
