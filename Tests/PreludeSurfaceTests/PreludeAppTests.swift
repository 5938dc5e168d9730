import HTTPServer
import Locks
import Possession
import PreludeSurface
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

@Suite(.timeLimit(.minutes(60))) struct PreludeAppTests {
    private func post(
        _ path: String, _ body: String, _ prelude: PreludeWorld, origin: String? = nil
    ) async -> Response {
        await prelude.client.send(
            World.request(.post, "/prelude/app" + path, body, origin.map { [(name: "Origin", value: $0)] } ?? []))
    }

    @Test func `an app verifies a number as the guide has it`() async throws {
        let prelude = try await PreludeWorld()
        let started = await post("/verify", #"{"phone_number":"+12001004014"}"#, prelude).json
        #expect(started["method"]?.string == "message" && started["request_url"] == nil)
        #expect(started["expires_at"] != nil && started["id"] == nil, "the window's id is for backends")
        let wrong = await post(
            "/check", #"{"phone_number":"+12001004014","verification_code":"999999"}"#, prelude
        ).json
        #expect(wrong["verified"] == .bool(false) && wrong["remaining_attempts"] == .integer(4))
        let right = await post(
            "/check", #"{"phone_number":"+12001004014","verification_code":"123456"}"#, prelude
        ).json
        #expect(right["status"]?.string == "success" && right["verified"] == .bool(true))
    }

    @Test func `an app with a dispatch gets the address to open`() async throws {
        let prelude = try await PreludeWorld()
        await prelude.signals()
        let started = await post(
            "/verify", #"{"phone_number":"+12001004014","signals_dispatch_id":"\#(PreludeWorld.dispatch)"}"#, prelude
        ).json
        #expect(started["method"]?.string == "silent")
        #expect(started["request_url"]?.string?.hasPrefix(World.publicURL + "/prelude/silent/") == true)
    }

    @Test func `pages of listed origins may call`() async throws {
        let prelude = try await PreludeWorld()
        let body = #"{"phone_number":"+12001004014"}"#
        let listed = await post("/verify", body, prelude, origin: "https://shop.example")
        #expect(listed.status == 200)
        #expect(listed.header("access-control-allow-origin") == "https://shop.example")
        #expect(await post("/verify", body, prelude, origin: "https://evil.example").status == 403)
        let missing = await post("/verify", "{}", prelude)
        #expect(missing.status == 400 && missing.json["param"]?.string == "phone_number")
    }

    @Test func `runs count under the caller's address`() async throws {
        var options = World.limited { $0.startsPerAddressPerTenMinutes = 2 }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let prelude = try await PreludeWorld(options)
        for index in 0..<3 {
            let request = World.request(
                .post, "/prelude/app/verify", #"{"phone_number":"\#(World.number(index))"}"#)
            var from = request
            from.peer = MobileAuthWalk.phone
            #expect(await prelude.client.send(from).status == (index < 2 ? 200 : 429))
        }
    }

    /// Nobody is let go by an address that the server cannot tell.
    @Test func `messages without an address count together, whoever asks for them`() async throws {
        var options = World.limited { $0.sizes = BucketSizes(address: 1, network: 3) }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let prelude = try await PreludeWorld(options)
        var last: String?
        for index in 0..<6 {
            let answer = await prelude.client.send(
                World.request(.post, "/prelude/app/verify", #"{"phone_number":"\#(World.number(index * 1000))"}"#))
            last = answer.json["status"]?.string
            #expect((last == "success") == (index < 5), "\(index)")
        }
        #expect(last == "blocked" && Set(prelude.world.hits.withLock { $0 }) == [.sendsPerNetwork])
        // A stranger writes no row of the history, and the backend does.
        let path = "/v2/verification/phone/history"
        func blocked() async -> Int? {
            await prelude.call(.get, path, query: "status=rate_limited").json["verifications"]?.array?.count
        }
        #expect(await blocked() == 0)
        #expect(await prelude.create(World.number(90_000)).json["status"]?.string == "blocked")
        #expect(await blocked() == 1)
        // Under an address that the backend names, a person is one.
        let signals = #","signals":{"ip":"192.0.2.7:4711"}"#
        #expect(await prelude.create(World.number(20_000), signals).json["status"]?.string == "success")
        #expect(await prelude.create(World.number(21_000), signals).json["status"]?.string == "blocked")
    }

    @Test func `there are no such calls where no API client is named`() async throws {
        let prelude = try await PreludeWorld(app: nil)
        #expect(await post("/verify", #"{"phone_number":"+12001004014"}"#, prelude).status == 404)
        let revoked = try await PreludeWorld(app: "nobody")
        #expect(await post("/verify", #"{"phone_number":"+12001004014"}"#, revoked).status == 503)
    }
}
