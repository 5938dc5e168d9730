import Sandbox
@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import Foundation
import HTTPServer
import Engine
import Possession
import StrictJSON
import Testing
import TestSupport

/// The examples of the description are answers of a real walk, with names and tokens exchanged for readable ones.
///
/// After a change, `HOLDFAST_RECORD_EXAMPLES=1 swift test --filter OpenAPIExamplesTests` writes their file again.
struct OpenAPIExamplesTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/CBuiltInFiles/description/recorded-answers.json")

    @Test func `are what the endpoints answer`() async throws {
        let walk = try await ExampleWalk()
        let answers = await walk.answers()
        for (id, answer) in answers { #expect(answer.status == 200, "\(id) \(answer.text)") }
        let real = answers.map { (id: $0.id, value: Readable.value(.object($0.answer.json))) }
        if ProcessInfo.processInfo.environment["HOLDFAST_RECORD_EXAMPLES"] != nil {
            try Self.file(of: real).write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            let recorded = RecordedAnswers()
            for (id, value) in real {
                let stored = recorded.answer(to: id)
                #expect(stored == value, "\(id) answers \(String(decoding: value.serialized(), as: UTF8.self))")
            }
            #expect(Set(recorded.all.names) == Set(real.map(\.id)))
        }
    }

    @Test func `are there for every answer in JSON`() {
        let recorded = Set(RecordedAnswers().all.names)
        // The operator is simulated elsewhere; the descriptions do not show themselves; the library's list changes with it.
        let others: Set = ["readDescription", "readSessionDescription", "listWebLibrary"]
        for operation in APIDescription.operations(isSandbox: true) where operation.surface != .simulatedOperator {
            let isJSON = operation.answers.contains { $0.content?.type == "application/json" }
            let id = operation.recordedID
            #expect(recorded.contains(id) == (isJSON && !others.contains(id)), "\(operation.id)")
        }
    }

    private static func file(of answers: [(id: String, value: JSONValue)]) -> String {
        let entries = answers.map { id, value in
            let lines = wrapped(value.serialized()).map { "    \($0)" }
            return "  \"\(id)\":\n\(lines.joined(separator: "\n"))"
        }
        return "{\n\(entries.joined(separator: ",\n"))\n}\n"
    }

    /// Lines of at most 100 bytes, broken behind the commas of JSON that are not in a string.
    private static func wrapped(_ json: [UInt8]) -> [String] {
        var lines: [[UInt8]] = [[]]
        var piece: [UInt8] = []
        var (isInString, isEscaped) = (false, false)
        func endPiece() {
            if let line = lines.last, !line.isEmpty, line.count + piece.count > 100 { lines.append([]) }
            lines[lines.count - 1] += piece
            piece = []
        }
        for byte in json {
            piece.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if byte == UInt8(ascii: ","), !isInString { endPiece() }
        }
        endPiece()
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Exchanges what is made up for each run: identifiers by the order in which they come, tokens by their names.
private enum Readable {
    private static let tokens: [String: JSONValue] = [
        "flowToken": "Zmxvdy10b2tlbi0xMjM0NQ", "access_token": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
        "authToken": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
        "attemptId": "b7w0dGhlLWF0dGVtcHQ", "authUrl": "http://127.0.0.1:8080/ma/v1/go/b7w0dGhlLWF0dGVtcHQ?t=dGlja2V0",
        "challenge": "Y2hhbGxlbmdlLW9mLXRoZS1kZXZpY2Uta2V5LWNoZWNr", "vfp": "v1.ZmluZ2VycHJpbnQ",
    ]

    static func value(_ value: JSONValue) -> JSONValue {
        var seen: [String] = []
        return exchanged(value, name: "", &seen)
    }

    private static func exchanged(_ value: JSONValue, name: String, _ seen: inout [String]) -> JSONValue {
        switch value {
        case .object(let object):
            var result = JSONObject()
            for member in object.members { result[member.name] = exchanged(member.value, name: member.name, &seen) }
            return .object(result)
        case .array(let values):
            var results: [JSONValue] = []
            for element in values { results.append(exchanged(element, name: name, &seen)) }
            return .array(results)
        case .string(let text):
            if let token = tokens[name] { return token }
            guard AuthID(text) != nil else { return value }
            if !seen.contains(text) { seen.append(text) }
            let number = (seen.firstIndex(of: text) ?? 0) + 1
            return .string("019b7907-8d58-7500-8000-00000000000\(number)")
        default: return value
        }
    }
}

/// Calls every endpoint that answers in JSON, as its callers would one after the other.
private struct ExampleWalk {
    typealias Answered = (id: String, answer: Response)

    private let world: World
    private static let mobile = #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}"#

    init() async throws {
        world = try await World()
    }

    func answers() async -> [Answered] {
        await platform() + auth() + prefill() + IdentityExamples.answers() + WebhookExamples.answers()
            + app() + code() + link() + device()
            + mobileAuth()
            + operations() + sandbox()
    }

    private func platform() async -> [Answered] {
        let form = "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret"
        let request = World.request(.post, "/token", form, contentType: "application/x-www-form-urlencoded")
        let bound = await world.start(#"{"possessionType":"none","phoneNumber":"2001004014"}"#)
        _ = await prove(App(world, bound))
        return [
            ("issueToken", await world.client.send(request)),
            ("startUnify", await world.post("/v3/unify", Self.mobile)),
            (
                "bindUnify",
                await world.post(
                    "/v3/unify-bind", #"{"correlationId":"\#(bound.correlationID)","phoneNumber":"2001004014"}"#)
            ),
            ("explainSession", await world.call(.get, "/v1/sessions/\(bound.correlationID)/explanation")),
        ]
    }

    private func auth() async -> [Answered] {
        guard let world = try? await World() else { return [] }
        let mobile = #"{"claim":{"mobileNumber":"2001004014"},"authenticators":{"passive":{}}}"#
        let start = await world.post(
            "/v1/server/auth/start", #"{"requestId":"r-1","subjects":{"mobile":\#(mobile),"device":{}}}"#)
        let id = start.json["authId"]?.string ?? ""
        _ = await prove(App(world, World.Started(correlationID: "", token: start.json["authToken"]?.string ?? "")))
        return [
            ("startAuth", start),
            (
                "continueAuth",
                await world.post(
                    "/v1/server/auth/continue",
                    #"{"authId":"\#(id)","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"}}}}"#)
            ),
            ("finishAuth", await world.post("/v1/server/auth/finish", #"{"authId":"\#(id)"}"#)),
        ]
    }

    private func prefill() async -> [Answered] {
        let body = #"{"flowType":"mobile","phoneNumber":"2001001693"}"#
        let start = await world.post("/v3/start", body)
        let run = await world.startPrefill(World.marcia)
        return [
            ("startPrefill", start), ("validateNumber", await world.step("validate", run)),
            ("challengePerson", await world.step("challenge", run, #","dob":"1982-07-19""#)),
            (
                "completePrefill",
                await world.step(
                    "complete", run, #","individual":{"firstName":"Marcia","lastName":"Longo"}"#)
            ),
        ]
    }

    private func app() async -> [Answered] {
        let page = WebPage(world)
        let start = await page.initialize(World.marcia)
        await page.prove()
        return [
            ("initializeFlow", start), ("verifyFlow", await page.post("/verify", #"{"dob":"1982-07-19"}"#)),
            ("finishFlow", await page.post("/finish", #"{"firstName":"Marcia","lastName":"Longo"}"#)),
        ]
    }

    private func code() async -> [Answered] {
        let started = await world.start(Self.mobile)
        let app = App(world, started)
        return [
            ("startSession", await app.redeem()), ("readSession", await app.read()),
            ("sendCode", await app.post("/otp", #"{"requestId":"r-1"}"#)),
            ("resendCode", await app.post("/otp/resend", #"{"requestId":"r-2"}"#)),
            ("sendCodeToOtherNumber", await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#)),
            ("verifyCode", await app.post("/otp/verify", #"{"code":"1234","requestId":"r-4"}"#)),
            ("readUnifyStatus", await world.status(started)),
        ]
    }

    private func link() async -> [Answered] {
        let app = App(world, await world.start(Self.mobile))
        _ = await app.redeem(fallback: "link")
        return [
            ("sendLink", await app.post("/link", #"{"requestId":"r-1"}"#)),
            ("resendLink", await app.post("/link/resend", #"{"requestId":"r-2"}"#)),
            ("sendLinkToOtherNumber", await app.post("/link/phone", #"{"phoneNumber":"2001004015"}"#)),
            ("cancelSession", await app.post("/cancel", #"{"reason":"user"}"#)),
        ]
    }

    private func device() async -> [Answered] {
        let started = await world.start(Self.mobile)
        let app = App(world, started)
        let proved = await prove(app)
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let id = await world.status(started).json["deviceId"]?.string ?? ""
        return [
            ("proveDevice", proved), ("revokeDevice", await world.post("/v3/device/revoke", #"{"deviceId":"\#(id)"}"#)),
        ]
    }

    /// Redeems the token, and shows a new device key.
    private func prove(_ app: App) async -> Response {
        let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: app.authID, challenge: challenge, sessionKey: app.key)
        return await app.post("/device", #"{"proof":"\#(proof)"}"#)
    }

    private func mobileAuth() async -> [Answered] {
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native()
        let begun = await app.post("/mobile-auth", #"{"requestId":"r-1"}"#)
        let walk = MobileAuthWalk(world, begun)
        _ = await walk.go()
        let back = await walk.comeBack()
        let body = walk.finishBody(back.json["vfp"]?.string ?? "")
        return [
            ("beginMobileAuth", begun), ("returnFromOperator", back),
            ("finishMobileAuth", await app.post("/mobile-auth/finish", body)),
            ("handInOperatorToken", await handedInToken()), ("goToOperator", await unservedHop()),
        ]
    }

    private func handedInToken() async -> Response {
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        return await app.post(
            "/mobile-auth/token", #"{"attemptId":"\#(walk.attempt)","operatorToken":"t","plmn":"26201"}"#)
    }

    /// The hop of a phone whose operator is not known.
    private func unservedHop() async -> Response {
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        world.carrier.serve(false)
        defer { world.carrier.serve(true) }
        return await walk.go()
    }

    private func operations() async -> [Answered] {
        [
            ("readHealth", await world.get("/healthz")), ("readReadiness", await world.get("/readyz")),
            ("readPublicKeys", await world.get("/.well-known/jwks.json")),
        ]
    }

    private func sandbox() async -> [Answered] {
        let id = await world.start(Self.mobile).correlationID
        world.inbox.add(
            SandboxMessage(
                id: "1", to: .number(World.lorant), channel: .sms, text: "Your code is 1234.", code: "1234",
                correlationID: CorrelationID(id) ?? CorrelationID(high: 0, low: 0), sentAt: world.clock.now()))
        let path = "/sandbox/sessions/\(id)"
        return [
            ("listMessages", await world.get("/sandbox/messages")), ("readClock", await world.get("/sandbox/clock")),
            ("moveClock", await world.post("/sandbox/clock", #"{"advanceSeconds":121}"#)),
            ("listUsers", await world.get("/sandbox/users")),
            ("completeSession", await world.post("\(path)/complete", #"{"outcome":"success"}"#)),
            ("readTimeline", await world.get(path)), ("listSessions", await newestSession()),
            ("listDeliveries", await world.get("/sandbox/webhooks")),
            ("listTakenWebhooks", await world.get("/sandbox/webhooks/receiver")),
        ]
    }

    /// The list of a world with one session, so that it stays short.
    private func newestSession() async -> Response {
        guard let other = try? await World() else { return Response(status: 500) }
        _ = await other.start(Self.mobile)
        return await other.get("/sandbox/sessions")
    }
}
