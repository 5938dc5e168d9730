import HTTPServer
import Possession
@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct PreludeManagementTests {
    private static let numbers = "/v2/verification/management/phone-numbers"
    private static let lorant = #"{"phone_number":"+12001004014"}"#

    @Test func `keeps allowed and blocked numbers apart, for each tenant`() async throws {
        let prelude = try await PreludeWorld()
        for _ in 0..<2 {
            let added = await prelude.call(.post, Self.numbers + "/block", Self.lorant)
            #expect(added.status == 200 && added.json["phone_number"]?.string == "+12001004014")
        }
        #expect(await prelude.create().json["reason"]?.string == "in_block_list")
        let blocked = await prelude.call(.get, Self.numbers + "/block").json["phone_numbers"]?.array
        #expect(blocked?.count == 1 && blocked?.first?.object?["created_at"] != nil)
        for list in ["/allow", "/block"] {
            let others = await prelude.call(.get, Self.numbers + list, as: list == "/allow" ? "sandbox" : "sandbox-2")
            #expect(others.json["phone_numbers"] == .array([]))
        }
        for _ in 0..<2 { #expect(await prelude.call(.delete, Self.numbers + "/block", Self.lorant).status == 200) }
        #expect(await prelude.create().json["status"]?.string == "success")
        #expect(await prelude.call(.get, Self.numbers + "/maybe").status == 404)
    }

    @Test func `an allowed number lifts the client's own block, and no limit of the server`() async throws {
        var options = World.limited { $0.sendsPerQuarterHour = 1 }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let prelude = try await PreludeWorld(options)
        let listed = #"{"phone_number":"+12015550123"}"#
        func created() async -> Response { await prelude.create(PreludeWorld.stranger) }
        func predicted() async -> String? {
            let target = #"{"target":{"type":"phone_number","value":"+12015550123"}}"#
            return await prelude.call(.post, "/v2/watch/predict", target).json["prediction"]?.string
        }
        _ = await prelude.call(.post, Self.numbers + "/block", listed)
        #expect(await created().json["reason"]?.string == "in_block_list")
        #expect(await predicted() == "suspicious")
        _ = await prelude.call(.post, Self.numbers + "/allow", listed)
        #expect(await predicted() == "legitimate")
        #expect(await created().json["status"]?.string == "success")
        // The limit of messages to a number is the server's.
        #expect(await created().json["reason"]?.string == "repeated_attempts")
        _ = await prelude.call(.delete, Self.numbers + "/allow", listed)
        #expect(await created().json["reason"]?.string == "in_block_list")
    }

    @Test func `keeps sandbox numbers of a tenant`() async throws {
        let prelude = try await PreludeWorld()
        let path = Self.numbers + "/sandbox"
        for code in ["123456", "654321"] {
            let put = await prelude.call(.put, path, #"{"phone_number":"+30123456789","attempt_code":"\#(code)"}"#)
            #expect(put.status == 200 && put.json["attempt_code"]?.string == code)
        }
        let all = await prelude.call(.get, path).json["phone_numbers"]?.array
        #expect(all?.count == 1 && all?.first?.object?["attempt_code"]?.string == "654321")
        #expect(await prelude.call(.get, path, as: "sandbox-2").json["phone_numbers"] == .array([]))
        let taken = await prelude.call(
            .put, path, #"{"phone_number":"+30123456789","attempt_code":"123456"}"#, as: "sandbox-2")
        #expect(taken.status == 400)
        #expect(await prelude.call(.delete, path + "/+30123456789", as: "sandbox-2").status == 200)
        #expect(prelude.lists.testNumbers.count == 1, "another tenant removes nothing")
        for _ in 0..<2 { #expect(await prelude.call(.delete, path + "/+30123456789").status == 200) }
        #expect(prelude.lists.testNumbers.isEmpty)
        let bad = await prelude.call(.put, path, #"{"phone_number":"+30123456789","attempt_code":"12"}"#)
        #expect(bad.status == 400 && bad.json["param"]?.string == "attempt_code")
    }

    @Test func `in live mode no caller adds a sandbox number`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld { $0.isSandbox = false }
        let put = await prelude.call(
            .put, Self.numbers + "/sandbox", #"{"phone_number":"+12015550123","attempt_code":"123456"}"#)
        #expect(put.status == 403 && code(of: put) == "invalid_integration")
        #expect(prelude.lists.testNumbers.isEmpty)
    }

    @Test func `finds a listed number in each form that people write it in`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld()
        let added = await prelude.call(.post, Self.numbers + "/block", #"{"phone_number":"+1 (201) 555-0123"}"#)
        #expect(added.json["phone_number"]?.string == PreludeWorld.stranger)
        #expect(await prelude.create(PreludeWorld.stranger).json["reason"]?.string == "in_block_list")
        _ = await prelude.call(.delete, Self.numbers + "/block", #"{"phone_number":"+1-201-555-0123"}"#)
        #expect(await prelude.create(PreludeWorld.stranger).json["status"]?.string == "success")
    }

    @Test func `keeps the sender names that are asked for`() async throws {
        let prelude = try await PreludeWorld()
        let path = "/v2/verification/management/sender-id"
        let asked = await prelude.call(.post, path, #"{"sender_id":"Prelude"}"#)
        #expect(asked.json["status"]?.string == "pending")
        #expect(await prelude.call(.get, path).json["sender_ids"]?.array?.count == 1)
        let bad = await prelude.call(.post, path, #"{"sender_id":"<b>"}"#)
        #expect(bad.status == 400 && code(of: bad) == "invalid_sender_id")
    }

    @Test func `a message that its carrier refused is one attempt, which failed`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.gateway.refuse(true)
        _ = await prelude.create()
        prelude.world.gateway.refuse(false)
        let id = try #require(await prelude.create().json["id"]?.string)
        let one = await prelude.call(.get, "/v2/verification/phone/history/" + id).json
        let events = one["lifecycle"]?.object?["events"]?.array?.compactMap(\.object) ?? []
        #expect(events.compactMap { $0["attempt"]?.object?["status"]?.string } == ["failed", "succeeded"])
    }

    @Test func `a failure is that of the newest message, also after the start of a silent verification`() throws {
        let session = try #require(CorrelationID("01930e9c-4b80-7000-8000-000000000001"))
        let kinds: [SessionEvent.Kind] = [.created, .otpSent, .mobileAuthBegun, .otpSendFailed]
        let events = kinds.map { SessionEvent($0, at: Timestamp(seconds: 1_767_261_600)) }
        #expect(HistoryTimeline(events, of: session).events.map(\.hasLeft) == [nil, false, true])
    }

    @Test func `tells the channels that took the messages, in the place of those that they might take`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld { $0.limits.channels = [.whatsapp, .sms, .voice] }
        func channels() async -> [String] {
            let page = await prelude.call(.get, "/v2/verification/phone/history").json
            let entry = page["verifications"]?.array?.first?.object
            return entry?["channels"]?.array?.compactMap(\.object).map { way in
                "\(way["channel"]?.string ?? "") \(way["converted"]?.bool == true)"
            } ?? []
        }
        _ = await prelude.create(PreludeWorld.stranger, #","options":{"preferred_channel":"sms"}"#)
        #expect(await channels() == ["sms false"])
        _ = prelude.world.clock.advance(seconds: 1)
        _ = await prelude.create(PreludeWorld.stranger)
        let code = try #require(prelude.world.gateway.sent.last?.code?.text)
        _ = await prelude.check(code, PreludeWorld.stranger)
        #expect(await channels() == ["sms false", "whatsapp true"])
    }

    @Test func `tells what has happened to numbers, and nothing of other tenants`() async throws {
        let prelude = try await PreludeWorld()
        let path = "/v2/verification/phone/history"
        let id = try #require(
            await prelude.create(PreludeWorld.lorant, #","metadata":{"correlation_id":"c"}"#).json["id"]?.string)
        _ = await prelude.checked("999999")
        _ = await prelude.checked("123456")
        _ = prelude.world.clock.advance(seconds: 1)
        _ = await prelude.create("+12001004015")
        let all = await prelude.call(.get, path).json["verifications"]?.array?.compactMap(\.object) ?? []
        #expect(all.map { $0["phone_number"]?.string } == ["+12001004015", "+12001004014"])
        #expect(all.map { $0["status"]?.string } == ["pending_check", "converted"])
        let converted = await prelude.call(.get, path, query: "status=converted&phone_number=%2B12001004014").json
        #expect(converted["verifications"]?.array?.count == 1)
        let first = await prelude.call(.get, path, query: "limit=1").json
        let cursor = try #require(first["next_cursor"]?.string)
        let second = await prelude.call(.get, path, query: "limit=1&cursor=\(cursor)").json
        #expect(second["verifications"]?.array?.first?.object?["id"]?.string == id)
        let one = await prelude.call(.get, path + "/" + id).json
        #expect(one["status"]?.string == "converted" && one["correlation_id"]?.string == "c")
        let events = one["lifecycle"]?.object?["events"]?.array?.compactMap { $0.object?["type"]?.string }
        #expect(events == ["create", "attempt", "check", "check"])
        for (client, other) in [("sandbox-2", id), ("sandbox", "vrf_01jc0t6fwwfgfsq1md24mhyztj"), ("sandbox", "x")] {
            #expect(await prelude.call(.get, path + "/" + other, as: client).status == 404)
        }
        #expect(await prelude.call(.get, path, as: "sandbox-2").json["verifications"] == .array([]))
        for query in ["status=odd", "limit=0", "from=yesterday", "phone_number=x"] {
            #expect(await prelude.call(.get, path, query: query).status == 400, "\(query)")
        }
    }

    @Test func `the history has what was blocked, with its reason`() async throws {
        var options = World.limited { $0.sendsPerQuarterHour = 1 }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let prelude = try await PreludeWorld(options)
        let (path, stranger) = ("/v2/verification/phone/history", PreludeWorld.stranger)
        func created(_ number: String = stranger, _ more: String = "") async throws -> String {
            _ = prelude.world.clock.advance(seconds: 1)
            return try #require(await prelude.create(number, more).json["id"]?.string)
        }
        let sent = try await created()
        let limited = try await created()
        _ = await prelude.call(.post, Self.numbers + "/block", #"{"phone_number":"\#(stranger)"}"#)
        let listed = try await created(stranger, #","metadata":{"correlation_id":"c"},"signals":{"ip":"203.0.113.7"}"#)
        let all = await prelude.call(.get, path).json["verifications"]?.array?.compactMap(\.object) ?? []
        #expect(all.map { $0["id"]?.string } == [listed, limited, sent])
        #expect(
            all.map { $0["status"]?.string } == ["in_blocklist", "rate_limited", "pending_check"])
        #expect(all.map { $0["attempts"]?.integer } == [0, 0, 1])
        #expect(all[0]["phone_number_condition"] == "block_listed" && all[1]["phone_number_condition"] == nil)
        #expect(all[0]["channels"] == [] && all[0]["delivered"] == .bool(false))
        func ids(_ query: String) async -> [String?] {
            await prelude.call(.get, path, query: query).json["verifications"]?.array?.map { $0.object?["id"]?.string }
                ?? []
        }
        #expect(await ids("status=in_blocklist") == [listed])
        #expect(await ids("phone_number=%2B12015550123&max_attempts=0") == [listed, limited])
        #expect(await ids("limit=2") == [listed, limited])
        #expect(await ids("limit=2&cursor=\(limited)") == [sent])
        let one = await prelude.call(.get, path + "/" + listed).json
        #expect(one["status"] == "in_blocklist" && one["correlation_id"] == "c" && one["ip_address"] == "203.0.113.7")
        #expect(one["phone_number"]?.string == stranger && one["expires_at"] == one["created_at"])
        #expect(one["phone_number_current_condition"] == "block_listed" && one["block_reasons"] == nil)
        #expect(one["lifecycle"]?.object?["events"]?.array?.compactMap { $0.object?["type"] } == ["create"])
        #expect(await prelude.call(.get, path + "/" + limited).json["block_reasons"] == ["repeated_attempts"])
        #expect(await prelude.call(.get, path + "/" + listed, as: "sandbox-2").status == 404)
        #expect(await prelude.call(.get, path, as: "sandbox-2").json["verifications"] == [])
    }

    @Test func `nothing is kept of a text that is no number`() async throws {
        let prelude = try await PreludeWorld()
        let id = try #require(await prelude.create("nobody").json["id"]?.string)
        #expect(await prelude.call(.get, "/v2/verification/phone/history").json["verifications"] == [])
        #expect(await prelude.call(.get, "/v2/verification/phone/history/" + id).status == 404)
    }

    @Test func `the sandbox completes no verification whose success only its check tells`() async throws {
        let prelude = try await PreludeWorld()
        let id = try #require(await prelude.create().json["id"]?.string)
        let session = try #require(PreludeID.identifier(id) as CorrelationID?)
        let path = "/sandbox/sessions/\(session.text)/complete"
        let refused = await prelude.world.post(path, #"{"outcome":"success"}"#)
        #expect(refused.status == 409 && refused.json["code"] == 8003)
        #expect(
            refused.json["message"]
                == "this session succeeds by its check, and no caller would learn of a success without it")
        #expect(await prelude.checked("123456") == "success", "it is as it was")
        _ = await prelude.create()
        let next = try #require(await prelude.create().json["id"]?.string)
        let other = try #require(PreludeID.identifier(next) as CorrelationID?)
        let failed = await prelude.world.post("/sandbox/sessions/\(other.text)/complete", #"{"outcome":"failure"}"#)
        #expect(failed.status == 200)
        #expect(await prelude.checked("123456") == "expired_or_not_found")
    }

    @Test func `says of a number what the plan says`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld { $0.regions = ["+1201": "US"] }
        let found = await prelude.call(.get, "/v2/lookup/+12015550123", query: "type=cnam").json
        #expect(found["country_code"]?.string == "US" && found["line_type"]?.string == "unknown")
        #expect(await prelude.call(.get, "/v2/lookup/x").status == 400)
    }

    @Test func `has one opinion of a number: whether it would be blocked`() async throws {
        let prelude = try await PreludeWorld()
        let target = #""target":{"type":"phone_number","value":"+12001004014"}"#
        #expect(
            await prelude.call(.post, "/v2/watch/predict", "{\(target)}").json["prediction"]?.string == "legitimate")
        _ = await prelude.call(.post, Self.numbers + "/block", Self.lorant)
        #expect(
            await prelude.call(.post, "/v2/watch/predict", "{\(target)}").json["prediction"]?.string == "suspicious")
        let evaluated = await prelude.call(.post, "/v2/watch/eval", #"{"flow_id":"flo_1",\#(target)}"#).json
        #expect(evaluated["action"]?.string == "BLOCK" && evaluated["recipes"] == .array([]))
        let event = #"{"events":[{\#(target),"label":"account.banned","confidence":"maximum"}]}"#
        #expect(await prelude.call(.post, "/v2/watch/event", event).json["status"]?.string == "success")
        let feedback = #"{"feedbacks":[{\#(target),"type":"verification.started"}]}"#
        #expect(await prelude.call(.post, "/v2/watch/feedback", feedback).json["status"]?.string == "success")
        let bad = await prelude.call(.post, "/v2/watch/event", #"{"events":[{\#(target),"label":"x"}]}"#)
        #expect(bad.status == 400 && bad.json["param"]?.string == "events[0].confidence")
    }
}
