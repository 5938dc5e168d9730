import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Calls whose answer was lost, and that come again.
@Suite(.timeLimit(.minutes(60))) struct PreludeRepeatedCallsTests {
    private typealias Fields = [(name: String, value: String)]

    private static func named(_ key: String) -> Fields { [(name: "Idempotency-Key", value: key)] }

    private static func sdk(_ count: Int) -> Fields { [(name: "x-stainless-retry-count", value: String(count))] }

    private func check(_ prelude: PreludeWorld, _ code: String, _ headers: Fields) async -> Response {
        await prelude.call(
            .post, "/v2/verification/check",
            #"{"target":{"type":"phone_number","value":"+12001004014"},"code":"\#(code)"}"#, headers: headers)
    }

    /// An answer without what names its request.
    private func told(_ answer: Response) -> JSONObject {
        var object = answer.json
        object["request_id"] = nil
        return object
    }

    @Test(arguments: [0, 1]) func `a repeated create sends nothing and is told the same`(kind: Int) async throws {
        let prelude = try await PreludeWorld()
        let (once, again) = kind == 0 ? (Self.named("a"), Self.named("a")) : (Self.sdk(0), Self.sdk(1))
        let first = await prelude.create(headers: once)
        #expect(first.json["status"]?.string == "success")
        #expect(told(await prelude.create(headers: again)) == told(first))
        // Also when the window has gone on, or is over.
        _ = await prelude.create()
        #expect(told(await prelude.create(headers: again)) == told(first))
        #expect(await prelude.checked("123456") == "success")
        #expect(told(await prelude.create(headers: again)) == told(first))
        #expect(prelude.codes.count == 2)
        let next = await prelude.create(headers: kind == 0 ? Self.named("b") : Self.sdk(0))
        #expect(next.json["status"]?.string == "success" && next.json["id"] != first.json["id"])
        #expect(prelude.codes.count == 3)
    }

    @Test(arguments: [0, 1])
    func `a repeated create is told the same when its number or country was closed since`(kind: Int) async throws {
        for isListed in [true, false] {
            let prelude = try await PreludeWorld()
            let (once, again) = kind == 0 ? (Self.named("a"), Self.named("a")) : (Self.sdk(0), Self.sdk(1))
            let first = await prelude.create(headers: once)
            let id = ClientID("sandbox")!
            if isListed {
                _ = try await prelude.lists.add(
                    PhoneNumber(e164: PreludeWorld.lorant)!, to: .blocked, of: id, at: prelude.world.clock.now())
            } else {
                _ = try await prelude.world.store.updateTenant(id) { $0.rules.callingCodes = ["49"] }
            }
            #expect(told(await prelude.create(headers: again)) == told(first))
            let other = await prelude.create(headers: Self.named("b"))
            #expect(isListed ? other.json["reason"]?.string == "in_block_list" : other.status == 403, "\(other.text)")
            #expect(told(await prelude.create(headers: again)) == told(first), "a refused call changes nothing")
            #expect(await prelude.create(PreludeWorld.lorant, "", as: "sandbox-2", headers: again).json != first.json)
            if kind == 0 {
                let changed = #","options":{"code_size":5}"#
                let reused = await prelude.create(PreludeWorld.lorant, changed, headers: again)
                #expect(code(of: reused) == "idempotency_key_reused")
            }
            // The other client's own message.
            #expect(prelude.codes.count == 2)
        }
    }

    @Test(arguments: [0, 1]) func `a repeated check costs nothing and is told the same`(kind: Int) async throws {
        let prelude = try await PreludeWorld()
        let (once, again) = kind == 0 ? (Self.named("a"), Self.named("a")) : (Self.sdk(0), Self.sdk(2))
        _ = await prelude.create()
        let wrong = await check(prelude, "999999", once)
        #expect(wrong.json["status"]?.string == "failure")
        for _ in 0..<9 { #expect(told(await check(prelude, "999999", again)) == told(wrong)) }
        let right = await check(prelude, "123456", kind == 0 ? Self.named("b") : Self.sdk(0))
        #expect(right.json["status"]?.string == "success")
        let repeated = await check(prelude, "123456", kind == 0 ? Self.named("b") : Self.sdk(1))
        #expect(told(repeated) == told(right))
        #expect(await prelude.checked("123456") == "expired_or_not_found", "another call")
        #expect(await check(prelude, "123456", Self.sdk(0)).json["status"]?.string == "expired_or_not_found")
    }

    @Test func `an SDK's first call is never an earlier one`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create(headers: Self.sdk(0))
        #expect(await prelude.create(headers: Self.sdk(0)).json["status"]?.string == "retry")
        for _ in 0..<5 { #expect(await check(prelude, "999999", Self.sdk(0)).json["status"]?.string == "failure") }
        #expect(await check(prelude, "999999", Self.sdk(0)).status == 429)
    }

    @Test func `an SDK repeats a call for two minutes, and a named one for as long as its window is kept`() async throws
    {
        let prelude = try await PreludeWorld()
        let first = await prelude.create(headers: Self.sdk(0))
        _ = prelude.world.clock.advance(seconds: 119)
        #expect(told(await prelude.create(headers: Self.sdk(1))) == told(first))
        _ = prelude.world.clock.advance(seconds: 1)
        #expect(await prelude.create(headers: Self.sdk(1)).json["status"]?.string == "retry")
        let named = await prelude.create(headers: Self.named("a"))
        _ = prelude.world.clock.advance(seconds: 3600)
        #expect(told(await prelude.create(headers: Self.named("a"))) == told(named))
        #expect(prelude.codes.count == 3)
    }

    @Test func `of many calls under one name one sends, and all are told the same`() async throws {
        let prelude = try await PreludeWorld()
        let answers = await withTaskGroup(of: JSONObject.self) { group in
            for _ in 0..<20 { group.addTask { told(await prelude.create(headers: Self.named("a"))) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(prelude.codes.count == 1)
        #expect(Set(answers.compactMap { $0["id"]?.string }).count == 1)
        #expect(answers.allSatisfy { $0["status"]?.string == "success" })
    }

    @Test func `a name with another body is an error that changes nothing`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create(headers: Self.named("a"))
        let other = await prelude.create(PreludeWorld.lorant, #","options":{"code_size":5}"#, headers: Self.named("a"))
        #expect(other.status == 422 && code(of: other) == "idempotency_key_reused")
        #expect(other.json["param"]?.string == "Idempotency-Key")
        #expect(prelude.codes.count == 1)
        #expect(await check(prelude, "123456", Self.named("a")).json["status"]?.string == "success", "another call")
    }

    @Test func `a name is one of the number and of the API client`() async throws {
        let prelude = try await PreludeWorld()
        let first = await prelude.create(headers: Self.named("a")).json
        let other = await prelude.create(as: "sandbox-2", headers: Self.named("a")).json
        #expect(other["id"] != first["id"] && prelude.codes.count == 2)
    }

    @Test func `a message that the carrier refused is told as such again`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create()
        prelude.world.gateway.refuse(true)
        #expect(await prelude.create(headers: Self.named("a")).status == 502)
        prelude.world.gateway.refuse(false)
        #expect(await prelude.create(headers: Self.named("a")).status == 502)
        #expect(await prelude.create(headers: Self.named("b")).status == 200)
    }

    @Test func `refuses a name that is none`() async throws {
        let prelude = try await PreludeWorld()
        for name in ["", "a b", String(repeating: "x", count: 256), "\u{e9}"] {
            let answer = await prelude.create(headers: Self.named(name))
            #expect(answer.status == 400 && answer.json["param"]?.string == "Idempotency-Key", "\(name)")
        }
        #expect(await prelude.create(headers: Self.named("a") + Self.named("b")).status == 400)
        for count in ["", "x", "-1", "1000"] {
            let field = [(name: "x-stainless-retry-count", value: count)]
            #expect(await prelude.create(PreludeWorld.lorant, headers: field).status == 200)
        }
        #expect(prelude.codes.count == 4)
    }

    @Test func `the code of a silent verification passes again under its name`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.carrier.answer(.success(.verified(true)))
        await prelude.signals()
        let dispatched = #","dispatch_id":"\#(PreludeWorld.dispatch)""#
        let offered = await prelude.create(PreludeWorld.lorant, dispatched, headers: Self.named("a"))
        #expect(offered.json["method"]?.string == "silent")
        #expect(told(await prelude.create(PreludeWorld.lorant, dispatched, headers: Self.named("a"))) == told(offered))
        let end = try await prelude.follow(
            try #require(offered.json["silent"]?.object?["request_url"]?.string))
        let code = try #require(await prelude.hop(end).json["code"]?.string)
        let first = await check(prelude, code, Self.named("b"))
        #expect(first.json["status"]?.string == "success")
        #expect(told(await check(prelude, code, Self.named("b"))) == told(first))
        #expect(await prelude.checked(code) == "expired_or_not_found")
    }
}
