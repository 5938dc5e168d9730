import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Rate limits that an API client sets on its own calls.
@Suite(.timeLimit(.minutes(60))) struct TwilioRateLimitsTests {
    /// A service with the rate limit `ip`, which has a bucket.
    /// - Returns: the path of the service, and that of the limit.
    private func limited(
        _ twilio: TwilioWorld, most: Int = 2, seconds: Int = 60
    ) async -> (service: String, limit: String) {
        let service = await twilio.addService()
        let limit = await twilio.call(.post, "\(service)/RateLimits", "UniqueName=ip").sid
        let path = "\(service)/RateLimits/\(limit)"
        #expect(await twilio.call(.post, "\(path)/Buckets", "Max=\(most)&Interval=\(seconds)").status == 201)
        return (service, path)
    }

    private func send(
        _ twilio: TwilioWorld, _ service: String, _ values: String, to number: String = TwilioWorld.lorant
    ) async -> Response {
        await twilio.call(
            .post, "\(service)/Verifications",
            "To=\(TwilioWorld.encoded(number))&Channel=sms&RateLimits=\(TwilioWorld.encoded(values))")
    }

    @Test func `adds, reads, changes, lists and removes a rate limit and its buckets`() async throws {
        let twilio = try await TwilioWorld()
        let path = "/Services/\(twilio.service())/RateLimits"
        let limit = await twilio.call(.post, path, "UniqueName=end_user_ip_address&Description=of+a+device")
        #expect(limit.status == 201 && limit.sid.hasPrefix("RK"))
        #expect(limit.json["unique_name"] == "end_user_ip_address" && limit.json["description"] == "of a device")
        #expect(await twilio.call(.get, "\(path)/\(limit.sid)").json == limit.json)
        let described = await twilio.call(.post, "\(path)/\(limit.sid)", "Description=other")
        #expect(described.status == 200 && described.json["description"] == "other")
        #expect(described.json["unique_name"] == "end_user_ip_address")

        let buckets = "\(path)/\(limit.sid)/Buckets"
        let bucket = await twilio.call(.post, buckets, "Max=4&Interval=60")
        #expect(bucket.status == 201 && bucket.sid.hasPrefix("BL"))
        #expect(bucket.json["max"] == 4 && bucket.json["interval"] == 60)
        #expect(bucket.json["rate_limit_sid"]?.string == limit.sid)
        #expect(await twilio.call(.get, "\(buckets)/\(bucket.sid)").json == bucket.json)
        #expect(await twilio.call(.post, "\(buckets)/\(bucket.sid)", "Max=5").json["max"] == 5)
        #expect(await twilio.call(.post, buckets, "Max=9&Interval=60").code == 60211)
        #expect(await twilio.call(.get, buckets).json["buckets"]?.array?.count == 1)
        #expect(await twilio.call(.delete, "\(buckets)/\(bucket.sid)").status == 204)
        #expect(await twilio.call(.get, "\(buckets)/\(bucket.sid)").code == 20404)

        #expect(await twilio.call(.get, "\(path)?PageSize=50").json["rate_limits"]?.array?.count == 1)
        #expect(await twilio.call(.post, path, "UniqueName=end_user_ip_address").code == 60208)
        #expect(await twilio.call(.delete, "\(path)/\(limit.sid)").status == 204)
        #expect(await twilio.call(.get, "\(path)/\(limit.sid)").code == 20404)
        #expect(await twilio.call(.get, buckets).code == 20404)
    }

    @Test(arguments: [
        ("", 60200), ("UniqueName=", 60200), ("UniqueName=a+b", 60209),
        ("UniqueName=\(String(repeating: "a", count: 65))", 60209),
    ]) func `refuses a name that is none`(form: String, code: Int) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.post("/RateLimits", form)
        #expect(answer.status == 400 && answer.code == Int64(code))
    }

    @Test(arguments: [
        "Max=4", "Interval=60", "Max=0&Interval=60", "Max=4&Interval=0", "Max=4&Interval=86401",
        "Max=100001&Interval=1",
        "Max=four&Interval=60", "Max=-1&Interval=60", "Max=99999999999999999999&Interval=60",
    ]) func `refuses a bucket that is not as it must be`(form: String) async throws {
        let twilio = try await TwilioWorld()
        let limit = await twilio.post("/RateLimits", "UniqueName=ip").sid
        let answer = await twilio.post("/RateLimits/\(limit)/Buckets", form)
        #expect(answer.status == 400 && answer.code == 60200)
        #expect(await twilio.get("/RateLimits/\(limit)/Buckets").json["buckets"]?.array?.isEmpty == true)
    }

    @Test func `has at most 20 of a service, and 10 buckets of each`() async throws {
        let twilio = try await TwilioWorld()
        for place in 1...20 { #expect(await twilio.post("/RateLimits", "UniqueName=q\(place)").status == 201) }
        #expect(await twilio.post("/RateLimits", "UniqueName=q21").code == 60207)
        let limit = await twilio.get("/RateLimits").json["rate_limits"]?.array?.first?.object?["sid"]?.string ?? ""
        for place in 1...10 {
            #expect(await twilio.post("/RateLimits/\(limit)/Buckets", "Max=1&Interval=\(place)").status == 201)
        }
        #expect(await twilio.post("/RateLimits/\(limit)/Buckets", "Max=1&Interval=11").code == 60210)
    }

    @Test func `refuses a message over the limit, for each value by itself, until the interval is over`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let (service, limit) = await limited(twilio)
        let (one, other) = (#"{"ip": "192.0.2.7"}"#, #"{"ip": "192.0.2.8"}"#)
        #expect(await send(twilio, service, one, to: "+12015550121").status == 201)
        _ = twilio.world.clock.advance(seconds: 10)
        #expect(await send(twilio, service, one, to: "+12015550121").status == 201, "a resend counts too")
        let third = await send(twilio, service, one, to: "+12015550122")
        #expect(third.status == 429 && third.code == 20429 && third.header("Retry-After") == "50")
        #expect(twilio.world.gateway.sent.count == 2)
        #expect(await twilio.call(.get, "\(service)/Verifications/%2B12015550122").code == 20404, "nothing has begun")
        #expect(await send(twilio, service, other, to: "+12015550122").status == 201)
        #expect(await send(twilio, service, "{}", to: "+12015550123").status == 201, "a call that names no limit")
        #expect(twilio.world.hits.withLock { $0 } == [.quota])

        _ = twilio.world.clock.advance(seconds: 49)
        #expect(await send(twilio, service, one, to: "+12015550124").code == 20429)
        _ = twilio.world.clock.advance(seconds: 1)
        #expect(await send(twilio, service, one, to: "+12015550124").status == 201)
        #expect(await send(twilio, service, one, to: "+12015550125").code == 20429)
        #expect(await twilio.call(.delete, limit).status == 204)
        #expect(await send(twilio, service, one, to: "+12015550125").code == 60200, "it is gone")
    }

    @Test func `lets two of many calls at one moment through`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let (service, _) = await limited(twilio)
        let answers = await withTaskGroup(of: Response.self) { group in
            for place in 0..<12 {
                group.addTask { await send(twilio, service, #"{"ip":"192.0.2.7"}"#, to: "+1201555\(1000 + place)") }
            }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 201 } == 2 && answers.count { $0.code == 20429 } == 10)
        #expect(twilio.world.gateway.sent.count == 2)
    }

    @Test func `a call that another rule refuses does not count`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let (service, _) = await limited(twilio, most: 6)
        let value = #"{"ip":"192.0.2.7"}"#
        for _ in 0..<5 { #expect(await send(twilio, service, value, to: "+12015550121").status == 201) }
        #expect(await send(twilio, service, value, to: "+12015550121").code == 60203)
        #expect(await send(twilio, service, value, to: "+12015550122").status == 201)
        #expect(await send(twilio, service, value, to: "+12015550123").code == 20429)
    }

    @Test func `a changed bucket counts what was counted before`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let (service, limit) = await limited(twilio)
        let bucket = await twilio.call(.get, "\(limit)/Buckets").json["buckets"]?.array?.first?.object?["sid"]?.string
        let value = #"{"ip":"192.0.2.7"}"#
        for end in 1...2 { #expect(await send(twilio, service, value, to: "+1201555012\(end)").status == 201) }
        #expect(await send(twilio, service, value, to: "+12015550123").code == 20429)
        #expect(await twilio.call(.post, "\(limit)/Buckets/\(bucket ?? "")", "Max=3").status == 200)
        #expect(await send(twilio, service, value, to: "+12015550123").status == 201)
        #expect(await send(twilio, service, value, to: "+12015550124").code == 20429)
    }

    @Test(arguments: [
        #"{"other": "a"}"#, #"{"ip": ""}"#, #"{"ip": 7}"#, #"["ip"]"#, "ip", #"{"ip": null}"#,
    ]) func `refuses values that name no limit of the service`(values: String) async throws {
        let twilio = try await TwilioWorld()
        let (service, _) = await limited(twilio)
        let answer = await send(twilio, service, values)
        #expect(answer.status == 400 && answer.code == 60200 && answer.text.contains("RateLimits"))
        #expect(twilio.world.gateway.sent.isEmpty)
        #expect(await send(twilio, "/Services/\(twilio.service())", #"{"ip":"a"}"#).code == 60200, "another service")
    }

    @Test func `another client's rate limits are 404`() async throws {
        let twilio = try await TwilioWorld()
        let (service, limit) = await limited(twilio)
        for path in ["\(service)/RateLimits", limit, "\(limit)/Buckets"] {
            #expect(await twilio.call(.get, path, as: "sandbox-2").code == 20404)
        }
        #expect(await twilio.call(.delete, limit, as: "sandbox-2").code == 20404)
        #expect(await twilio.call(.get, limit).status == 200)
    }
}
