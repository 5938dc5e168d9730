import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Silent proofs: `/auth/v1/initiate/sna`, the chain that a phone follows, and `/auth/v2/status`.
@Suite(.timeLimit(.minutes(60))) struct OtplessSilentTests {
    // MARK: The chain

    @Test func `a phone that follows the chain proves its number, and no message is sent`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        #expect(begun.status == 200 && begun.json["status"] == "INIT" && begun.json.members.count == 4)
        #expect(begun.json["phoneDetail"] == ["countryCode": "1"])
        #expect(begun.header("cache-control") == "no-store")
        #expect(begun.link.hasPrefix(World.publicURL + "/otpless/silent/"))
        #expect(await otpless.factor(begun.requestID) == ["PENDING", nil])
        let end = try await otpless.follow(begun.link)
        #expect(end.hasPrefix(World.publicURL + "/otpless/silent/end?vfp="))
        #expect(await otpless.factor(begun.requestID) == ["PENDING", nil], "the end was not opened")
        let now = otpless.world.clock.now()
        let answer = await otpless.hop(end)
        #expect(answer.status == 200 && answer.json == ["status": "SUCCESS"])
        #expect(answer.header("referrer-policy") == "no-referrer")
        let detail = await otpless.detail(begun.requestID).json
        #expect(
            detail == [
                "auths": [
                    [
                        "identityType": "MOBILE", "identityValue": "12001004014", "channel": "SILENT_AUTH",
                        "methods": ["SILENT_AUTH"], "status": "SUCCESS", "type": "PRIMARY",
                        "verifiedTimestamp": .integer(now.milliseconds),
                    ]
                ], "phoneDetail": ["countryCode": "1"], "networkDetail": ["operator": "fake"],
            ])
        #expect(otpless.sentCodes.isEmpty)
    }

    @Test func `a silent proof has a token, as a code has`() async throws {
        let otpless = try await OtplessWorld()
        let (id, end) = try await otpless.chain(.success(.verified(true)))
        _ = await otpless.hop(end)
        let status = await otpless.status(id).json
        let identity = status["identities"]?.array?.first?.object
        #expect(status["status"] == "SUCCESS" && identity?["channel"] == "SILENT_AUTH")
        #expect(identity?["methods"] == ["SILENT_AUTH"] && identity?["identityValue"] == "12001004014")
        #expect(await otpless.validate(status["token"]?.string ?? "").status == 200)
    }

    @Test func `another number, an operator that fails, and one that says no have codes of their own`() async throws {
        let faults: [(Result<OperatorAnswer, OperatorFault>, String)] = [
            (.success(.verified(false)), "SP40011"), (.failure(.timeout), "SP40014"),
            (.failure(.notOnNetwork), "SP40015"), (.failure(.circuitOpen), "SP40010"),
            (.failure(.failed(reason: "test")), "SP40010"),
        ]
        for (answer, code) in faults {
            let otpless = try await OtplessWorld()
            let (id, end) = try await otpless.chain(answer)
            // The answer is known, whether or not the phone opens the end.
            #expect(await otpless.factor(id) == ["FAILED", code])
            #expect(await otpless.hop(end).json == ["status": "FAILED"])
            #expect(await otpless.factor(id) == ["FAILED", code])
            #expect(await otpless.status(id).json["status"] == "DECLINE")
        }
        let otpless = try await OtplessWorld()
        let begun = await otpless.sna()
        #expect(try await otpless.follow(begun.link, "error=access_denied").hasSuffix("?error=mobile_auth_unavailable"))
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40003"])
    }

    @Test func `a phone of no known operator fails at the first hop`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.serve(false)
        let begun = await otpless.sna()
        let end = try #require(await otpless.hop(begun.link).header("location"))
        #expect(await otpless.hop(end).json == ["status": "FAILED"])
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40005"])
    }

    @Test func `a mismatch that the phone brings itself fails at once`() async throws {
        let otpless = try await OtplessWorld()
        let (id, end) = try await otpless.chain(.success(.verified(false)))
        #expect(await otpless.hop(end).json == ["status": "FAILED"])
        #expect(await otpless.factor(id) == ["FAILED", "SP40011"])
    }

    // MARK: Time

    @Test func `a link is good for 60 seconds, and stays dead when the status has said so`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        _ = otpless.world.clock.advance(seconds: 59)
        #expect(await otpless.factor(begun.requestID) == ["PENDING", nil])
        _ = otpless.world.clock.advance(seconds: 1)
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40012"])
        otpless.world.clock.reset()
        #expect(await otpless.hop(begun.link).json == ["status": "FAILED"])
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40012"])
    }

    @Test func `a phone that does not come back in 60 seconds has timed out`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        let back = try otpless.back(await otpless.hop(begun.link))
        _ = otpless.world.clock.advance(seconds: 59)
        #expect(await otpless.factor(begun.requestID) == ["PENDING", nil])
        _ = otpless.world.clock.advance(seconds: 1)
        #expect(await otpless.hop(back).status == 410)
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40014"])
    }

    @Test func `an answer that is not brought in time counts no more`() async throws {
        let otpless = try await OtplessWorld()
        let (id, end) = try await otpless.chain(.success(.verified(true)))
        _ = otpless.world.clock.advance(seconds: 60)
        #expect(await otpless.hop(end).json == ["status": "FAILED"])
        #expect(await otpless.factor(id) == ["FAILED", "SP40014"])
    }

    @Test func `a request that ends before its link is expired`() async throws {
        let otpless = try await OtplessWorld()
        let begun = await otpless.sna(OtplessWorld.lorant, #","expiry":30"#)
        _ = otpless.world.clock.advance(seconds: 30)
        #expect(await otpless.hop(begun.link).json == ["status": "FAILED"])
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40012"])
    }

    // MARK: Who may follow

    @Test func `a hop that is repeated leads on from the same address only, and nothing is asked twice`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        let first = await otpless.hop(begun.link)
        #expect(await otpless.hop(begun.link).header("location") == first.header("location"))
        #expect(await otpless.hop(begun.link, from: MobileAuthWalk.otherPhone).json == ["status": "FAILED"])
        let back = try otpless.back(first)
        let end = try #require(await otpless.hop(back).header("location"))
        #expect(await otpless.hop(back).status == 410)
        #expect(otpless.world.carrier.redeemed == ["code-1"])
        for _ in 0..<2 { #expect(await otpless.hop(end).json == ["status": "SUCCESS"]) }
        #expect(await otpless.hop(begun.link).json == ["status": "FAILED"])
        #expect(await otpless.factor(begun.requestID).first == "SUCCESS")
    }

    @Test func `a wrong ticket, and an end that this server has not made, use nothing up`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        let other = await otpless.sna()
        let path = begun.link.split(separator: "?")[0]
        for link in ["\(begun.link)x", "\(path)?t=\(other.link.split(separator: "=")[1])"] {
            #expect(await otpless.hop(link).json == ["status": "FAILED"])
        }
        #expect(await otpless.hop(String(path)).errorCode == "7101")
        for end in ["?vfp=none", "?error=x", "", "?vfp="] {
            #expect(await otpless.hop(World.publicURL + "/otpless/silent/end" + end).json == ["status": "FAILED"])
        }
        _ = await otpless.hop(try await otpless.follow(begun.link))
        #expect(await otpless.factor(begun.requestID).first == "SUCCESS")
    }

    @Test func `who only asks for a head uses nothing up`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        let head = await otpless.hop(begun.link, .head)
        #expect(head.status == 405 && head.header("allow") == "GET")
        let end = try await otpless.follow(begun.link)
        #expect(await otpless.hop(end, .head).status == 405)
        #expect(await otpless.factor(begun.requestID).first == "PENDING")
        #expect(await otpless.hop(end).json == ["status": "SUCCESS"])
    }

    @Test func `a phone that comes back from another address gets no answer, and the request times out`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        let back = try otpless.back(await otpless.hop(begun.link))
        #expect(await otpless.hop(back, from: MobileAuthWalk.otherPhone).status == 403)
        #expect(await otpless.factor(begun.requestID) == ["PENDING", nil])
        _ = otpless.world.clock.advance(seconds: 60)
        #expect(await otpless.factor(begun.requestID) == ["FAILED", "SP40014"])
    }

    @Test func `of a hundred ends at the same time one ends the request`() async throws {
        let otpless = try await OtplessWorld()
        let (id, end) = try await otpless.chain(.success(.verified(true)))
        let answers = await withTaskGroup(of: JSONObject.self) { group in
            for _ in 0..<100 { group.addTask { await otpless.hop(end).json } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: ["status": "SUCCESS"], count: 100))
        let events = try await otpless.world.store.events(of: try #require(CorrelationID(id)))
        #expect(events.count { $0.kind == .succeeded } == 1 && events.count { $0.kind == .mobileAuthPassed } == 1)
    }

    // MARK: Browsers

    private static func browser(_ site: String, _ mode: String = "navigate") -> [(name: String, value: String)] {
        [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Accept", "text/html")]
    }

    @Test func `a browser is asked for a tap, however the link is loaded`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.carrier.answer(.success(.verified(true)))
        let begun = await otpless.sna()
        for (site, mode) in [
            ("none", "navigate"), ("cross-site", "navigate"), ("cross-site", "no-cors"), ("same-origin", "cors"),
        ] {
            let page = await otpless.hop(begun.link, headers: Self.browser(site, mode))
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
            #expect(page.header("x-frame-options") == "DENY" && page.header("cache-control") == "no-store")
            #expect(page.header("referrer-policy") == "no-referrer" && page.header("location") == nil)
            #expect(String(decoding: page.body, as: UTF8.self).contains("Continue</button>"))
        }
        for site in ["cross-site", "same-site", "none"] {
            #expect(await otpless.hop(begun.link, .post, headers: Self.browser(site)).header("location") == nil)
        }
        #expect(await otpless.hop(begun.link, .post).header("location") == nil, "it does not say where it comes from")
        let tapped = await otpless.hop(begun.link, .post, headers: Self.browser("same-origin"))
        #expect(tapped.status == 303)
        let end = try #require(await otpless.hop(try otpless.back(tapped)).header("location"))
        let done = await otpless.hop(end, headers: Self.browser("cross-site"))
        #expect(String(decoding: done.body, as: UTF8.self).contains("Your number is confirmed"))
        #expect(await otpless.factor(begun.requestID).first == "SUCCESS")
    }

    @Test func `a link that leads nowhere asks for no tap`() async throws {
        let otpless = try await OtplessWorld()
        let begun = await otpless.sna()
        _ = otpless.world.clock.advance(seconds: 60)
        for link in [begun.link, World.publicURL + "/otpless/silent/none?t=x"] {
            let page = String(
                decoding: await otpless.hop(link, headers: Self.browser("none")).body, as: UTF8.self)
            #expect(page.contains("Your number was not confirmed") && !page.contains("<form"))
        }
    }

    // MARK: Refused

    @Test func `names what is wrong with a request`() async throws {
        let otpless = try await OtplessWorld()
        let refused = [
            (#"{}"#, "7106", "phoneNumber"), (#"{"phoneNumber":"12"}"#, "7101", "phoneNumber"),
            (#"{"phoneNumber":"12001004014","mcc":"310"}"#, "7101", "mnc"),
            (#"{"phoneNumber":"12001004014","mnc":"41"}"#, "7101", "mcc"),
            (#"{"phoneNumber":"12001004014","mcc":"31x","mnc":"41"}"#, "7101", "mcc"),
            (#"{"phoneNumber":"12001004014","mcc":"3100","mnc":"41"}"#, "7101", "mcc"),
            (#"{"phoneNumber":"12001004014","mcc":310,"mnc":-4}"#, "7101", "mnc"),
            (#"{"phoneNumber":"12001004014","expiry":29}"#, "7113", "expiry"),
            (#"{"phoneNumber":"12001004014","expiry":86401}"#, "7113", "expiry"),
            (#"{"phoneNumber":"12001004014","correlationId":7}"#, "7101", "correlationId"),
            (#"{"phoneNumber":"12001004014","metadata":[]}"#, "7101", "metadata"),
        ]
        for (body, code, field) in refused {
            let answer = await otpless.post("/auth/v1/initiate/sna", body)
            #expect(answer.status == 400 && answer.errorCode == code, "\(body)")
            #expect(answer.json["description"]?.string?.contains("'\(field)'") == true, "\(body)")
            #expect(answer.json["requestId"] == nil && answer.json["status"] == nil)
        }
        for body in [#","mcc":310,"mnc":41"#, #","mcc":"310","mnc":"041""#, #","mcc":null,"mnc":"","x":1"#] {
            #expect(await otpless.sna(OtplessWorld.lorant, body).status == 200)
        }
    }

    @Test func `an API client without Mobile Auth, and a closed country, are refused`() async throws {
        var options = World.Options()
        options.rules.mobileAuth = false
        let without = try await OtplessWorld(options)
        let refused = await without.sna()
        #expect(refused.status == 400 && refused.errorCode == "7160" && refused.json["requestId"] == nil)
        var closed = World.Options()
        closed.users = nil
        closed.rules.callingCodes = ["49"]
        #expect(await (try OtplessWorld(closed)).sna("+12015550123").errorCode == "7025")
    }

    @Test func `only the API client itself learns of its request`() async throws {
        let otpless = try await OtplessWorld()
        let begun = await otpless.sna()
        #expect(await otpless.detail(begun.requestID, as: "sandbox-2").errorCode == "7114")
        #expect(await otpless.detail("019b7907-8d58-7500-8000-00000000000f").errorCode == "7114")
        for id in ["", "mine", "ARID_12", "ARID_" + String(repeating: "g", count: 32)] {
            #expect(await otpless.detail(id).errorCode == "7119")
        }
        let started = await otpless.world.start(#"{"phoneNumber":"2001004015","possessionType":"mobile"}"#)
        #expect(await otpless.detail(started.correlationID).errorCode == "7114")
    }

    @Test func `a request without codes takes none, and sends none`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sna().requestID
        #expect(await otpless.verify(OtplessWorld.right, id).errorCode == "7114")
        #expect(await otpless.post("/auth/otp/v1/resend", #"{"orderId":"\#(id)"}"#).errorCode == "7114")
        #expect(await otpless.factor(id) == ["PENDING", nil] && otpless.sentCodes.isEmpty)
    }

    // MARK: Codes

    @Test func `tells of requests with codes as well`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        let factor = await otpless.detail(id).json["auths"]?.array?.first?.object
        #expect(factor?["channel"] == "OTP" && factor?["methods"] == ["SMS"] && factor?["status"] == "PENDING")
        _ = await otpless.verify(OtplessWorld.right, id)
        #expect(await otpless.factor(id) == ["SUCCESS", nil])
        let wrong = await otpless.initiate().requestID
        for _ in 0..<5 { _ = await otpless.verify("999999", wrong) }
        #expect(await otpless.factor(wrong) == ["FAILED", "7118"])
        let late = await otpless.initiate().requestID
        _ = otpless.world.clock.advance(seconds: 300)
        #expect(await otpless.factor(late) == ["FAILED", "7303"])
    }
}
