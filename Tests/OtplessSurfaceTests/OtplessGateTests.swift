import HTTPServer
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Callers that are let in, and the requests that each of them reaches.
@Suite(.timeLimit(.minutes(60))) struct OtplessGateTests {
    private func initiate(_ otpless: OtplessWorld, _ headers: [(name: String, value: String)]) async -> Response {
        await otpless.client.send(
            World.request(.post, "/otpless/auth/v1/initiate/otp", #"{"phoneNumber":"+12001004014"}"#, headers))
    }

    @Test func `refuses whoever shows no credentials with 7012, and wrong ones with 7002`() async throws {
        let otpless = try await OtplessWorld()
        let right = OtplessWorld.headers("sandbox", "sandbox-secret")
        let missing: [[(name: String, value: String)]] = [
            [], [World.bearer()], [right[0]], [right[1]], OtplessWorld.headers("", "sandbox-secret"),
            OtplessWorld.headers("sandbox", ""),
        ]
        for headers in missing {
            let answer = await initiate(otpless, headers)
            #expect(answer.status == 401 && answer.errorCode == "7012", "\(headers)")
            #expect(answer.json["message"] == "Unauthorized")
        }
        let wrong: [[(name: String, value: String)]] = [
            OtplessWorld.headers("sandbox", "wrong"), OtplessWorld.headers("sandbox-2", "sandbox-secret"),
            OtplessWorld.headers("nobody", "nobody-secret"), right + right,
        ]
        for headers in wrong {
            let answer = await initiate(otpless, headers)
            #expect(answer.status == 401 && answer.errorCode == "7002", "\(headers)")
        }
        #expect(otpless.world.gateway.sent.isEmpty)
        let head = World.request(.post, "/otpless/auth/v1/initiate/otp", "")
        #expect(otpless.client.answerToHead(head)?.status == 401, "before the body has come")
    }

    @Test func `answers another client's requests as unknown ones`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        let calls = [
            ("/auth/v1/verify/otp", #"{"requestId":"\#(id)","otp":"123456"}"#),
            ("/auth/otp/v1/verify", #"{"orderId":"\#(id)","otp":"123456"}"#),
            ("/auth/otp/v1/verify", #"{"phoneNumber":"+12001004014","otp":"123456"}"#),
            ("/auth/otp/v1/resend", #"{"orderId":"\#(id)"}"#),
        ]
        for (path, body) in calls {
            let answer = await otpless.post(path, body, as: "sandbox-2")
            #expect(answer.status == 400 && answer.errorCode == "7114", "\(path)")
        }
        #expect(otpless.world.gateway.sent.count == 1)
        #expect(await otpless.verify("123456", id).status == 200)
    }

    @Test func `a session of another surface is none of this one`() async throws {
        let otpless = try await OtplessWorld()
        let started = await otpless.world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        #expect(await otpless.verify("123456", started.correlationID).errorCode == "7114")
        let resent = await otpless.post("/auth/otp/v1/resend", #"{"orderId":"\#(started.correlationID)"}"#)
        #expect(resent.errorCode == "7114")
        #expect(await otpless.world.status(started).json["success"] == "pending")
    }

    @Test func `limits calls and failures of an API client`() async throws {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        options.platform.requestsPerSecond = 2
        let otpless = try await OtplessWorld(options)
        for _ in 0..<2 { #expect(await otpless.initiate().status == 200) }
        let over = await otpless.initiate()
        #expect(over.status == 429 && over.errorCode == "7024" && over.header("Retry-After") == "1")
        for _ in 0..<20 { _ = await initiate(otpless, OtplessWorld.headers("sandbox-2", "wrong")) }
        let guessed = await initiate(otpless, OtplessWorld.headers("sandbox-2", "wrong"))
        #expect(guessed.status == 429 && guessed.errorCode == "7020")
    }

    @Test(arguments: [OtplessWorld.form, "text/plain", nil]) func `takes JSON only`(type: String?) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.client.send(
            World.request(
                .post, "/otpless/auth/v1/initiate/otp", #"{"phoneNumber":"+12001004014"}"#,
                OtplessWorld.headers("sandbox", "sandbox-secret"), contentType: type))
        #expect(answer.status == 415 && answer.errorCode == "7101")
    }
}
