import HTTPServer
import Engine
import Possession
import StrictJSON
import SurfaceKit
import TestSupport
import Testing
import Text
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Every parameter of every call with values that it may not have. The description has all of them, and each answer is
/// held against it.
@Suite(.timeLimit(.minutes(60))) struct TwilioBadValuesTests {
    private static let operations = TwilioSurface.description.operations
    private static let withForm = operations.filter { $0.body != nil }
    private static let form = "application/x-www-form-urlencoded"

    private func send(
        _ operation: Operation, _ form: String, to twilio: TwilioWorld, _ sid: String, type: String? = form,
        query: String = "", path: String? = nil
    ) async -> Response {
        var path = (path ?? operation.path).replacing("{ServiceSid}", with: twilio.service())
        if path.contains("{RateLimitSid}") {
            let (limit, bucket) = await rateLimit(twilio)
            path = path.replacing("{RateLimitSid}", with: limit).replacing("/Buckets/{Sid}", with: "/Buckets/\(bucket)")
        }
        path = path.replacing("{Sid}", with: sid)
        var request = World.request(
            operation.method, path, form, [TwilioWorld.basic(of: "sandbox")], contentType: type)
        request.rawQuery = query
        return await twilio.client.send(request)
    }

    /// One of the service, with one bucket.
    private func rateLimit(_ twilio: TwilioWorld) async -> (limit: String, bucket: String) {
        func first(_ path: String, _ key: String) async -> String? {
            await twilio.get(path).json[key]?.array?.first?.object?["sid"]?.string
        }
        if await first("/RateLimits", "rate_limits") == nil {
            let limit = await twilio.post("/RateLimits", "UniqueName=first").sid
            _ = await twilio.post("/RateLimits/\(limit)/Buckets", "Max=1&Interval=3600")
        }
        let limit = await first("/RateLimits", "rate_limits") ?? ""
        return (limit, await first("/RateLimits/\(limit)/Buckets", "buckets") ?? "")
    }

    private func expectRefusal(_ answer: Response, _ what: String) {
        let members = answer.json
        let isTheirs = members["status"]?.integer == Int64(answer.status) && (members["code"]?.integer ?? 0) >= 20000
        #expect(
            [400, 403, 404, 413, 415].contains(answer.status) && isTheirs
                && members["message"]?.string?.isEmpty == false
                && members["more_info"]?.string?.hasPrefix("https://") == true,
            "\(what): \(answer.status) \(answer.text)")
    }

    private func encoded(_ example: JSONValue?, without field: String? = nil) -> [String] {
        (example?.object?.members ?? []).filter { $0.name != field }
            .map { "\($0.name)=\(PercentCoding.encode($0.value.string ?? $0.value.integer.map(String.init) ?? ""))" }
    }

    /// Wrong texts of a field, percent-encoded.
    private func values(for schema: JSONObject, isRequired: Bool) -> [String] {
        let most = Int(schema["maxLength"]?.integer ?? 4096)
        // No UTF-8, half of a pair, half of an escape, too long.
        var values = ["%FF", "a%C3", "%ED%A0%80", "%zz", "%", String(repeating: "1", count: most + 1)]
        if isRequired { values.append("") }
        let isBound = ["pattern", "enum", "format"].contains { schema.has($0) } || schema["type"]?.string != "string"
        if isBound { values += ["%00", "a%01b", "%7F", "%0D%0A"] }
        if schema.has("enum") || schema["type"]?.string == "boolean" { values += ["zzz", "TRUE+", "null", "%5B%5D"] }
        return values
    }

    /// An open verification, and what calls could have changed of it.
    private func open() async throws -> (twilio: TwilioWorld, sid: String, before: String) {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        return (twilio, sid, await state(twilio, sid))
    }

    private func state(_ twilio: TwilioWorld, _ sid: String) async -> String {
        "\(twilio.world.gateway.sent.count) " + (await twilio.get("/Verifications/\(sid)")).text
    }

    /// No try was taken, and the code still passes.
    private func expectUntouched(_ twilio: TwilioWorld, _ sid: String, _ before: String) async {
        #expect(await state(twilio, sid) == before)
        for _ in 0..<4 { #expect(await twilio.check("999999").state == "pending") }
        #expect(await twilio.check(TwilioWorld.right).state == "approved")
    }

    @Test func `a bad value of any parameter of a form is refused, and changes nothing`() async throws {
        let (twilio, sid, before) = try await open()
        var count = 0
        for operation in Self.withForm {
            let content = try #require(operation.body)
            let schema = content.schema.object
            let required = schema["required"]?.array?.compactMap(\.string) ?? []
            for member in schema["properties"]?.object?.members ?? [] {
                let others = encoded(content.example, without: member.name)
                let inner = member.value.object ?? JSONObject()
                for value in values(for: inner, isRequired: required.contains(member.name)) {
                    count += 1
                    let form = (others + ["\(member.name)=\(value)"]).joined(separator: "&")
                    let what = "\(operation.id) \(member.name)=\(value.prefix(20))"
                    expectRefusal(await send(operation, form, to: twilio, sid), what)
                }
                let twice = (others + ["\(member.name)=1", "\(member.name)=1"]).joined(separator: "&")
                expectRefusal(await send(operation, twice, to: twilio, sid), "\(operation.id) \(member.name) twice")
            }
        }
        #expect(count > 150, "\(count)")
        await expectUntouched(twilio, sid, before)
    }

    @Test func `a body that is no form is refused, and changes nothing`() async throws {
        let (twilio, sid, before) = try await open()
        for operation in Self.withForm {
            let form = encoded(operation.body?.example).joined(separator: "&")
            for type in [nil, "", "text/plain", "application/json", "multipart/form-data; boundary=x", "application"] {
                let answer = await send(operation, form, to: twilio, sid, type: type)
                expectRefusal(answer, "\(operation.id) as \(type ?? "nothing")")
            }
            let many = form + (0..<200).map { "&a\($0)=1" }.joined()
            // A change of nothing is a change.
            let isNeeded = operation.body?.schema.object["required"]?.array?.isEmpty == false
            let empty = isNeeded ? ["", "&", "=", #"{"To":"+12001004014","Channel":"sms"}"#] : []
            for text in empty + ["%", many] {
                expectRefusal(await send(operation, text, to: twilio, sid), "\(operation.id) \(text.prefix(20))")
            }
        }
        await expectUntouched(twilio, sid, before)
    }

    @Test func `parameters that nobody knows are not looked at`() async throws {
        for operation in Self.withForm where operation.id != "UpdateVerification" {
            var answers: [Response] = []
            for more in ["", "&Unknown=1&unknown.member=%7B%7D"] {
                let (twilio, sid, _) = try await open()
                let form = encoded(operation.body?.example).joined(separator: "&") + more
                answers.append(await send(operation, form, to: twilio, sid))
            }
            #expect(answers.allSatisfy { $0.status / 100 == 2 }, "\(operation.id): \(answers.map(\.text))")
            #expect(answers[0].status == answers[1].status && answers[0].json.names == answers[1].json.names)
        }
    }

    @Test func `a bad value of the path finds nothing, and one of the query is refused`() async throws {
        let (twilio, sid, before) = try await open()
        let long = String(repeating: "9", count: 5000)
        let texts = ["%00", "%FF", "%ED%A0%80", "a%0Ab", "%7F", "%F0%9F%98%80", "%20", long]
        for operation in Self.operations {
            let form = encoded(operation.body?.example).joined(separator: "&")
            let type = operation.body.map { _ in Self.form }
            for text in texts {
                for parameter in operation.parameters {
                    let field = parameter.field.name
                    let what = "\(operation.id) \(field)=\(text.prefix(12))"
                    switch parameter.place {
                    case .path:
                        let path = operation.path.replacing("{\(field)}", with: text)
                        let answer = await send(operation, form, to: twilio, sid, type: type, path: path)
                        // A value that can be no segment of a path is answered as everywhere.
                        if answer.status == 404, answer.json["code"]?.integer == 8001 { continue }
                        expectRefusal(answer, what)
                    case .query:
                        let query = "VerificationSid=\(sid)&\(field)=\(text)"
                        let answer = await send(operation, form, to: twilio, sid, type: type, query: query)
                        #expect(answer.status < 500, "\(what)")
                    default: break
                    }
                }
            }
        }
        await expectUntouched(twilio, sid, before)
    }
}
