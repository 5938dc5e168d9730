import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// `/v1/server/auth/start`, `continue` and `finish`, as a backend of the older API calls them.
@Suite struct AuthTests {
    private static let claim = #""claim":{"mobileNumber":"2001004014"}"#
    private static let otp = #""otp":{"messageText":"Your code is ######"}"#
    private static let link = #""instantlink":{"messageText":"Go to ####","finalTargetUrl":"https://app.example/end"}"#

    private static func mobile(_ authenticators: String, _ claim: String = claim) -> String {
        #""mobile":{\#(claim),"authenticators":{\#(authenticators)}}"#
    }

    private func check(_ answer: Response, _ status: Int = 200) -> JSONObject {
        #expect(answer.status == status, "\(answer.text)")
        return answer.json
    }

    private func error(_ object: JSONObject?) -> Int64? { object?["error"]?.object?["code"]?.integer }

    // MARK: Which checks run

    @Test(arguments: [
        (mobile(otp), "mobile", "otpStart"), (mobile(link), "desktop", "linkStart"),
        (mobile(#"\#(link),"passive":{}"#), "mobile", "device"), (mobile(#""passive":{}"#), "none", "device"),
        (mobile(#"\#(otp),\#(link),"passive":{}"#), "mobile", "device"),
        (#""device":{"authenticators":{"passive":{}}}"#, "none", "device"),
        (#""user":{"claim":{"userId":"u-1"},"authenticators":{"passive":{}}}"#, "none", "device"),
    ])
    func `the authenticators decide how it runs`(subjects: String, flow: String, step: String) async throws {
        let world = try await World()
        let app = App(world, await world.startAuth(subjects))
        let state = await app.redeem(deviceKey: true).json
        #expect(state["flow"]?.string == flow)
        #expect(state["step"]?.string == step)
    }

    @Test func `no other takes part, whatever the client can do`() async throws {
        let world = try await World()
        let onlyCode = App(world, await world.startAuth(Self.mobile(Self.otp)))
        #expect(await onlyCode.redeem(fallback: "link", deviceKey: true).json["outcome"]?.string == "failed")
        let onlyKey = App(world, await world.startAuth(Self.mobile(#""passive":{}"#)))
        #expect(await onlyKey.redeem(fallback: "otp").json["outcome"]?.string == "possessionRequired")
        // A subscriber who opted out is not looked up.
        let optedOut = #""instant":{"consent":{"status":"optedOut"}}"#
        let noMobileAuth = await world.startAuth(Self.mobile("\(optedOut),\(Self.otp)"))
        let state = await world.redeemNative(noMobileAuth)
        #expect(state.json["step"]?.string == "otpStart", "\(state.text)")
        let asked = await world.redeemNative(await world.startAuth(Self.mobile(#""instant":{}"#)))
        #expect(asked.json["step"]?.string == "mobileAuth", "\(asked.text)")
    }

    @Test func `each message has its own text, and the code the length of its run`() async throws {
        let world = try await World()
        let subjects = Self.mobile("\(Self.otp),\(Self.link)")
        let code = App(world, await world.startAuth(subjects))
        #expect(await code.redeem().json["otp"]?.object?["codeLength"]?.integer == 6)
        _ = await code.post("/otp")
        let link = App(world, await world.startAuth(subjects))
        _ = await link.redeem(fallback: "link")
        _ = await link.post("/link")
        let texts = world.gateway.sent.map(\.text)
        #expect(texts.first?.hasPrefix("Your code is ") == true)
        #expect(texts.last?.hasPrefix("Go to http") == true)
    }

    @Test func `the person may name another number where the message lets them`() async throws {
        let world = try await World()
        for (member, mayChange) in [("", false), (#","allowMobileNumberRePrompt":true"#, true)] {
            let otp = #""otp":{"messageText":"Your code is ####"\#(member)}"#
            let app = App(world, await world.startAuth(Self.mobile(otp)))
            _ = await app.redeem()
            let sent = await app.post("/otp")
            #expect(allowed(by: sent).contains("otp.phone") == mayChange)
            #expect(await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#).status == (mayChange ? 200 : 403))
        }
    }

    @Test func `a code may be typed once, or three times`() async throws {
        let world = try await World()
        for (member, tries) in [("", 1), (#","allowOtpRetry":true"#, 3)] {
            let otp = #""otp":{"messageText":"Your code is ####"\#(member)}"#
            let started = await world.startAuth(Self.mobile(otp))
            let app = App(world, started)
            _ = await app.redeem()
            let state = await app.post("/otp").json
            #expect(state["otp"]?.object?["attemptsLeft"]?.integer == Int64(tries))
            for _ in 0..<tries { _ = await app.post("/otp/verify", #"{"code":"9999"}"#) }
            let mobile = check(await world.finishAuth(started))["subjects"]?.object?["mobile"]?.object
            #expect(error(mobile) == 10_001)
        }
    }

    @Test func `the client names the number where the backend did not`() async throws {
        let world = try await World()
        let started = await world.startAuth(Self.mobile(Self.otp, #""claim":{}"#))
        let app = App(world, started)
        #expect(await app.redeem().json["phone"]?.object?["needed"]?.bool == true)
        _ = await app.post("/otp", #"{"phoneNumber":"2001004014"}"#)
        _ = await app.post("/otp/verify", #"{"code":"123456"}"#)
        let success = await world.success(of: "mobile", started)
        #expect(success?["claim"]?.object?["mobileNumber"]?.string == "+12001004014")
    }

    // MARK: What finish tells

    @Test func `tells a code's success as often as asked`() async throws {
        let world = try await World()
        let started = await world.startAuth(Self.mobile(Self.otp))
        let early = check(await world.finishAuth(started))
        #expect(early["appNamespace"]?.string == "sandbox")
        #expect(early["subjects"]?.object?.names == ["mobile"])
        #expect(error(early["subjects"]?.object?["mobile"]?.object) == 10_004)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"123456"}"#)
        let answer = await world.finishAuth(started)
        let object = check(answer)
        #expect(object["authId"]?.string == started.authID)
        let mobile = object["subjects"]?.object?["mobile"]?.object
        #expect(mobile?.names == ["success"])
        let success = mobile?["success"]?.object
        #expect(success?["authenticatorType"]?.string == "instant")
        #expect(success?["claim"]?.object?["mobileNumber"]?.string == "2001004014")
        #expect(success?["createdAt"]?.integer == world.clock.now().seconds)
        #expect(await world.finishAuth(started).text == answer.text)
    }

    @Test func `tells of a link that it was opened`() async throws {
        let world = try await World()
        let started = await world.startAuth(Self.mobile(Self.link))
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/link")
        let page = world.gateway.sent.last?.link?.dropFirst(World.publicURL.count) ?? ""
        _ = await world.client.send(
            World.request(.post, String(page), "decision=approve", contentType: "application/x-www-form-urlencoded"))
        let extras = await world.success(of: "mobile", started)?["extras"]?.object
        #expect(extras?["linkClicked"]?.bool == true)
        #expect(extras?["ipMatch"] == nil)
        #expect(extras?["phoneMatch"]?.string == "indeterminate")
    }

    @Test func `a link asked for from one address counts from there alone`() async throws {
        let world = try await World()
        let link =
            #""instantlink":{"messageText":"Go to ####","finalTargetUrl":"https://app.example/end","sourceIp":"192.0.2.7"}"#
        let started = await world.startAuth(Self.mobile(link))
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/link")
        let page = world.gateway.sent.last?.link?.dropFirst(World.publicURL.count) ?? ""
        _ = await world.client.send(
            World.request(.post, String(page), "decision=approve", contentType: "application/x-www-form-urlencoded"))
        let mobile = check(await world.finishAuth(started))["subjects"]?.object?["mobile"]?.object
        #expect(error(mobile) == 20_203)
    }

    @Test func `binds the key of a number that the backend vouches for, and knows it again`() async throws {
        let world = try await World()
        let user = #""user":{"claim":{"userId":"u-1","provided":true}}"#
        let subjects = #"\#(Self.mobile(#""passive":{}"#)),"device":{"authenticators":{"passive":{}}}"#
        let first = await world.startAuth("\(subjects),\(user)")
        await world.proveKey(first)
        let waiting = check(await world.finishAuth(first))["subjects"]?.object
        for name in ["mobile", "device", "user"] { #expect(error(waiting?[name]?.object) == 10_004) }

        let bound = await world.continueAuth(first, "2001004014")
        #expect(bound.text == #"{"subjects":{"mobile":{"success":true}}}"#)
        #expect(await world.success(of: "mobile", first)?["authenticatorType"]?.string == "provided")
        #expect(await world.success(of: "user", first)?["authenticatorType"]?.string == "provided")
        let device = await world.success(of: "device", first)
        #expect(device?["extras"]?.object?["deviceType"]?.string == "web")

        // The last one is registered with a key that is known already, and then asked for.
        let asked = [("u-1", false, true), ("u-2", false, false), ("u-2", true, true), ("u-2", false, true)]
        for (id, provided, passes) in asked {
            let claim = #"{"userId":"\#(id)","provided":\#(provided)}"#
            let again = await world.startAuth(#"\#(subjects),"user":{"claim":\#(claim)}"#)
            await world.proveKey(again)
            #expect(await world.success(of: "mobile", again)?["authenticatorType"]?.string == "passive")
            #expect(await world.success(of: "device", again)?["claim"] == device?["claim"])
            #expect((await world.success(of: "user", again) != nil) == passes)
        }
    }

    @Test func `a key that was bound too long ago is bound anew`() async throws {
        let world = try await World()
        let passive = #""passive":{"maxAge":100}"#
        let first = await world.startAuth(Self.mobile(passive))
        await world.proveKey(first)
        _ = await world.continueAuth(first, "2001004014")
        for (seconds, outcome) in [(99, "succeeded"), (1, "possessionRequired")] {
            _ = world.clock.advance(seconds: Int64(seconds))
            #expect(await world.proveKey(await world.startAuth(Self.mobile(passive))) == outcome)
        }
        #expect(await world.proveKey(await world.startAuth(Self.mobile(#""passive":{"maxAge":0}"#))) == "succeeded")
        for always in [#""passive":{"maxAge":-1}"#, #""passive":{"cacheResult":false}"#] {
            #expect(await world.proveKey(await world.startAuth(Self.mobile(always))) == "possessionRequired")
        }
    }

    @Test func `a key is not the device that was asked for unless it has that id`() async throws {
        let world = try await World()
        let device =
            #""device":{"claim":{"deviceId":"019b7907-8d58-4500-8000-000000000001"},"authenticators":{"passive":{}}}"#
        let started = await world.startAuth("\(Self.mobile(Self.otp)),\(device)")
        let app = App(world, started)
        #expect(await world.proveKey(app) == nil)
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"123456"}"#)
        let subjects = check(await world.finishAuth(started))["subjects"]?.object
        #expect(subjects?["mobile"]?.object?["success"] != nil)
        #expect(error(subjects?["device"]?.object) == 10_004)
    }

    @Test func `what a run has found stays, whatever becomes of its key`() async throws {
        let world = try await World()
        func run(_ id: String, provided: Bool) async -> World.Started {
            let user = #""user":{"claim":{"userId":"\#(id)","provided":\#(provided)}}"#
            let started = await world.startAuth("\(Self.mobile(#""passive":{}"#)),\(user)")
            await world.proveKey(started)
            return started
        }
        let first = await run("u-1", provided: true)
        _ = await world.continueAuth(first, "2001004014")
        let other = await run("u-2", provided: false)
        let before = [await world.finishAuth(first).text, await world.finishAuth(other).text]
        _ = await run("u-2", provided: true)
        #expect([await world.finishAuth(first).text, await world.finishAuth(other).text] == before)
    }

    @Test func `a key of another number is no proof of this one`() async throws {
        let world = try await World()
        let first = await world.startAuth(Self.mobile(#""passive":{}"#))
        await world.proveKey(first)
        _ = await world.continueAuth(first, "2001004014")
        let claim = #""claim":{"mobileNumber":"2001004015"}"#
        for passive in [#""passive":{}"#, #""passive":{"maxAge":1}"#] {
            _ = world.clock.advance(seconds: 60)
            let other = await world.startAuth(Self.mobile(passive, claim))
            await world.proveKey(other)
            #expect(error(check(await world.finishAuth(other))["subjects"]?.object?["mobile"]?.object) == 20_402)
        }
    }

    // MARK: What is refused

    @Test(arguments: [
        ("", "subjects"), (#""subjects":{}"#, "subjects"), (#""subjects":{"mobile":{}}"#, "subjects"),
        (#""subjects":[]"#, "subjects"),
        (#""subjects":{"mobile":{"authenticators":{"passive":{}}}},"callbackUrl":"https://a.example""#, "callbackUrl"),
        (#""delivery":{"push":{}}"#, "delivery.push"), (#""delivery":{"scan":{}}"#, "delivery.scan"),
        (#""subjects":{"card":{}}"#, "subjects.card"),
        (#""subjects":{"mobile":{"claim":{"mobileNumber":1}}}"#, "subjects.mobile.claim.mobileNumber"),
        (#""subjects":{"mobile":{"authenticators":{"universal":{}}}}"#, "subjects.mobile.authenticators.universal"),
        (
            #""subjects":{"mobile":{"authenticators":{"otp":{"messageText":"no run"}}}}"#,
            "subjects.mobile.authenticators.otp.messageText"
        ),
        (
            #""subjects":{"mobile":{"authenticators":{"otp":{}}}}"#, "subjects.mobile.authenticators.otp.messageText"
        ),
        (
            #""subjects":{"mobile":{"authenticators":{"instantlink":{"messageText":"Go: ####"}}}}"#,
            "subjects.mobile.authenticators.instantlink.finalTargetUrl"
        ),
        (
            #""subjects":{"mobile":{"authenticators":{"instant":{"consent":{"status":"optedIn"}}}}}"#,
            "subjects.mobile.authenticators.instant.consent.collectedTimestamp"
        ),
        (
            #""subjects":{"mobile":{"authenticators":{"instant":{"consent":{"status":"maybe"}}}}}"#,
            "subjects.mobile.authenticators.instant.consent.status"
        ),
        (
            #""subjects":{"mobile":{"authenticators":{"passive":{"maxAge":-2}}}}"#,
            "subjects.mobile.authenticators.passive.maxAge"
        ),
        (
            #""subjects":{"device":{"authenticators":{"passive":{"userVerificationLevel":"required"}}}}"#,
            "subjects.device.authenticators.passive.userVerificationLevel"
        ),
        (
            #"""
            "subjects":{"mobile":{"authenticators":{"instantlink":{"messageText":"####","sourceIp":"abc",
            "finalTargetUrl":"https://app.example/end"}}}}
            """#, "subjects.mobile.authenticators.instantlink.sourceIp"
        ),
        (#""subjects":{"device":{"claim":{"deviceId":"x"}}}"#, "subjects.device.claim.deviceId"),
        (#""subjects":{"user":{"claim":{}}}"#, "subjects.user.claim.userId"),
        (#""subjects":{"user":{"authenticators":{"docv":{}}}}"#, "subjects.user.authenticators.docv"),
    ])
    func `start names the member that is not as it must be`(members: String, field: String) async throws {
        let world = try await World()
        let answer = await world.post("/v1/server/auth/start", #"{\#(members)}"#)
        let object = check(answer, 400)
        #expect(object["code"]?.integer == 8001)
        #expect(object["message"]?.string?.hasPrefix("field '\(field)' ") == true, "\(answer.text)")
    }

    @Test func `a host that is not the tenant's, and a number that is nobody's`() async throws {
        let world = try await World()
        let link = #""instantlink":{"messageText":"Go: #### ","finalTargetUrl":"https://other.example/"}"#
        let host = await world.post("/v1/server/auth/start", #"{"subjects":{\#(Self.mobile(link))}}"#)
        let field = "field 'subjects.mobile.authenticators.instantlink.finalTargetUrl' "
        #expect(check(host, 400)["message"]?.string?.hasPrefix(field) == true)
        let number = Self.mobile(Self.otp, #""claim":{"mobileNumber":"2001009999"}"#)
        let stranger = await world.post("/v1/server/auth/start", #"{"subjects":{\#(number)}}"#)
        #expect(check(stranger, 400)["code"]?.integer == 8007)
    }

    @Test func `continue comes after the key alone, and takes three wrong numbers`() async throws {
        let world = try await World()
        let byCode = await world.startAuth(Self.mobile(Self.otp))
        #expect(check(await world.continueAuth(byCode, "2001004014"), 400)["code"]?.integer == 8003)
        let byKey = await world.startAuth(Self.mobile(#""passive":{}"#))
        #expect(check(await world.continueAuth(byKey, "2001004014"), 400)["code"]?.integer == 8003)
        await world.proveKey(byKey)
        for _ in 0..<3 {
            let mobile = check(await world.continueAuth(byKey, "2001004015"))["subjects"]?.object?["mobile"]?.object
            #expect(mobile?["success"]?.bool == false)
            #expect(error(mobile) == 10_004)
        }
        #expect(check(await world.continueAuth(byKey, "2001004014"), 400)["code"]?.integer == 8003)
        let empty = await world.post("/v1/server/auth/continue", #"{"authId":"\#(byKey.authID)","subjects":{}}"#)
        #expect(
            check(empty, 400)["message"]?.string == "field 'subjects.mobile.claim.mobileNumber' is missing")
    }

    @Test func `continue binds a key or says that it has not`() async throws {
        let world = try await World()
        let without = App(world, await world.startAuth(Self.mobile(#""passive":{}"#)))
        _ = await without.redeem()
        let started = World.Started(correlationID: "", token: without.token)
        for _ in 0..<4 {
            let mobile = check(await world.continueAuth(started, "2001004014"))["subjects"]?.object?["mobile"]?.object
            #expect(mobile?["success"]?.bool == false)
            #expect(mobile?["error"]?.object?["message"]?.string == "device authentication missing")
        }
        #expect(error(check(await world.finishAuth(started))["subjects"]?.object?["mobile"]?.object) == 10_004)

        // A key of one number is bound anew to no other.
        let first = await world.startAuth(Self.mobile(#""passive":{}"#))
        await world.proveKey(first)
        _ = await world.continueAuth(first, "2001004014")
        _ = world.clock.advance(seconds: 60)
        let old = await world.startAuth(Self.mobile(#""passive":{"maxAge":1}"#, #""claim":{}"#))
        #expect(await world.proveKey(old) == "possessionRequired")
        for (number, binds) in [("2001004015", false), ("2001004014", true)] {
            let mobile = check(await world.continueAuth(old, number))["subjects"]?.object?["mobile"]?.object
            #expect(mobile?["success"]?.bool == binds)
        }
    }

    @Test func `only its own calls and its own backend know a session`() async throws {
        let world = try await World()
        let own = await world.startAuth(Self.mobile(#""passive":{}"#))
        await world.proveKey(own)
        let unify = await world.start(#"{"possessionType":"none","phoneNumber":"2001004014"}"#)
        for id in [unify.authID, "", "019b7907-8d58-7500-8000-000000000001"] {
            let answer = await world.post("/v1/server/auth/finish", #"{"authId":"\#(id)"}"#)
            #expect(check(answer, 400)["code"]?.integer == (id.isEmpty ? 8001 : 8008))
        }
        // RFC 9562 section 4: any case on input.
        let upper = await world.post("/v1/server/auth/finish", #"{"authId":"\#(own.authID.uppercased())"}"#)
        #expect(upper.status == 200 && upper.json["authId"]?.string == own.authID)
        #expect(check(await world.finishAuth(own, as: "sandbox-2"), 400)["code"]?.integer == 8008)
        #expect(check(await world.continueAuth(own, "2001004014", as: "sandbox-2"), 400)["code"]?.integer == 8008)
        #expect(await world.continueAuth(own, "2001004014").text.contains("true"))
    }
}

extension World {
    fileprivate func finishAuth(_ started: Started, as client: String = "sandbox") async -> Response {
        await post("/v1/server/auth/finish", #"{"authId":"\#(started.authID)"}"#, as: client)
    }

    fileprivate func continueAuth(
        _ started: Started, _ number: String, as client: String = "sandbox"
    ) async -> Response {
        await post(
            "/v1/server/auth/continue",
            #"{"authId":"\#(started.authID)","subjects":{"mobile":{"claim":{"mobileNumber":"\#(number)"}}}}"#,
            as: client)
    }

    fileprivate func success(of subject: String, _ started: Started) async -> JSONObject? {
        await finishAuth(started).json["subjects"]?.object?[subject]?.object?["success"]?.object
    }

    /// As a phone that can do Mobile Auth.
    fileprivate func redeemNative(_ started: Started) async -> Response {
        await App(self, started).post(
            "", #"{"platform":"ios","sdk":"t","fallback":"otp","deviceKey":false,"cellular":"yes"}"#)
    }

    /// Shows the device key; what comes of it.
    @discardableResult
    fileprivate func proveKey(_ started: Started) async -> String? {
        await proveKey(App(self, started))
    }

    fileprivate func proveKey(_ app: App) async -> String? {
        let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: app.authID, challenge: challenge, sessionKey: app.key)
        return await app.post("/device", #"{"proof":"\#(proof)"}"#).json["outcome"]?.string
    }
}
