import HTTPServer
import Possession
import PreludeSurface
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

@Suite(.timeLimit(.minutes(60))) struct PreludeCheckTests {
    @Test func `a right code succeeds once`() async throws {
        let prelude = try await PreludeWorld()
        let id = await prelude.create(PreludeWorld.lorant, #","metadata":{"correlation_id":"c"}"#).json["id"]
        #expect(await prelude.checked("999999") == "failure")
        let right = await prelude.check("123456").json
        #expect(right["status"]?.string == "success" && right["id"] == id)
        #expect(right["metadata"]?.object?["correlation_id"]?.string == "c")
        #expect(await prelude.checked("123456") == "expired_or_not_found")
    }

    @Test func `a number without a window has no code`() async throws {
        let prelude = try await PreludeWorld()
        #expect(await prelude.checked("123456") == "expired_or_not_found")
        #expect(await prelude.checked("123456", "+30123456789") == "expired_or_not_found")
    }

    @Test func `the sixth check is refused until the window would have ended`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create()
        for _ in 0..<5 { #expect(await prelude.checked("999999") == "failure") }
        let sixth = await prelude.check("123456")
        #expect(sixth.status == 429 && code(of: sixth) == "too_many_checks")
        #expect(sixth.header("x-should-retry") == "false")
        _ = prelude.world.clock.advance(seconds: 600)
        #expect(await prelude.checked("123456") == "expired_or_not_found")
    }

    @Test func `of many right checks at the same time one succeeds`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create()
        let successes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<16 { group.addTask { await prelude.checked("123456") } }
            return await group.reduce(into: 0) { $0 += $1 == "success" ? 1 : 0 }
        }
        #expect(successes == 1)
    }

    @Test(arguments: ["abc", "123", "12345678901", "12 456"])
    func `what cannot be a code costs no check`(text: String) async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create()
        for _ in 0..<6 {
            let answer = await prelude.check(text)
            #expect(answer.status == 400 && code(of: answer) == "impossible_code")
        }
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `another tenant's code is none here`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create()
        #expect(await prelude.checked("123456", as: "sandbox-2") == "expired_or_not_found")
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `a payment beside a code of no window is read`() async throws {
        let prelude = try await PreludeWorld()
        let answer = await prelude.call(
            .post, "/v2/verification/check",
            #"""
            {"target":{"type":"phone_number","value":"+12001004014"},"code":"12345",
             "psd2":{"amount":"99999.99","currency":"EUR","recipient":"Rainbow LLC"}}
            """#)
        #expect(answer.json["status"]?.string == "expired_or_not_found")
    }

    @Test func `an id is 128 bits in 26 characters, and has one spelling`() throws {
        let id = CorrelationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
        let text = PreludeID.text(id)
        #expect(PreludeID.identifier(text, as: CorrelationID.self) == id)
        let most = CorrelationID(high: .max, low: .max)
        #expect(PreludeID.identifier(PreludeID.text(most), as: CorrelationID.self) == most)
        for bad in ["", "vrf_", text + "0", String(text.dropLast()), "vrf_8" + text.dropFirst(5), text.uppercased()] {
            #expect(PreludeID.identifier(bad, as: CorrelationID.self) == nil, "\(bad)")
        }
    }
}
