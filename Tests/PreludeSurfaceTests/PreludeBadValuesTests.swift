import HTTPServer
import Possession
@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

/// Every field of every call with values that it may not have. The description has all fields, and each answer is held
/// against it.
@Suite(.timeLimit(.minutes(60))) struct PreludeBadValuesTests {
    private static let operations = PreludeSurface.description.operations
    private static let withJSON = operations.filter { $0.body?.type == "application/json" }

    /// Everything that a call could have changed, as the surface and the gateway tell it.
    private func state(_ prelude: PreludeWorld) async -> [String] {
        var state = ["\(prelude.world.gateway.sent.count)"]
        for path in [
            "/v2/verification/phone/history", "/v2/verification/management/phone-numbers/allow",
            "/v2/verification/management/phone-numbers/block", "/v2/verification/management/phone-numbers/sandbox",
            "/v2/verification/management/sender-id",
        ] {
            let answer = await prelude.call(.get, path)
            #expect(answer.status == 200, "\(path)")
            state.append(answer.text)
        }
        return state
    }

    private func send(
        _ operation: Operation, _ body: [UInt8], to prelude: PreludeWorld, type: String? = "application/json",
        query: String = "", path: String? = nil
    ) async -> Response {
        let headers = [PreludeWorld.key()] + (type.map { [(name: "Content-Type", value: $0)] } ?? [])
        let path = (path ?? operation.path).replacing("{action}", with: "block")
        return await prelude.client.send(
            Request(
                method: operation.method, path: path, rawQuery: query, headers: Headers(headers), body: body, id: "q"))
    }

    private func expectRefusal(_ answer: Response, _ what: String) {
        let members = answer.json
        let isOurs = ["code", "message", "type"].allSatisfy { members[$0]?.string?.isEmpty == false }
        let isRefused = [400, 403, 404, 413, 415].contains(answer.status)
        #expect(isRefused && isOurs, "\(what): \(answer.status) \(answer.text)")
        #expect(members["request_id"]?.string == "q", "\(what)")
    }

    @Test func `a bad value of any field is refused, and changes nothing`() async throws {
        let prelude = try await PreludeWorld()
        #expect(await prelude.create().status == 200)
        let before = await state(prelude)
        var count = 0
        for operation in Self.withJSON {
            let cases = BadValues(of: try #require(operation.body)).all
            #expect(cases.count > 5, "\(operation.id)")
            for bad in cases {
                count += 1
                expectRefusal(await send(operation, bad.body, to: prelude), "\(operation.id) \(bad)")
            }
        }
        #expect(count > 1000, "\(count)")
        #expect(await state(prelude) == before)
        // No try was taken either.
        for _ in 0..<4 { #expect(await prelude.checked("999999") == "failure") }
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `a body that is not one object of JSON is refused, and changes nothing`() async throws {
        let prelude = try await PreludeWorld()
        let before = await state(prelude)
        let texts = [
            "", "null", "7", "[]", "{", "{}x", #"{"target":{},"target":{}}"#, "\u{FEFF}", "{\"a\":\u{1}}",
            String(repeating: "[", count: 2000), "target=x",
        ]
        for operation in Self.withJSON {
            for text in texts {
                expectRefusal(await send(operation, Array(text.utf8), to: prelude), "\(operation.id) \(text)")
            }
            let body = try #require(operation.body?.example).serialized()
            let types = [
                nil, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data",
                "application/json, application/json", "application",
            ]
            for type in types {
                let answer = await send(operation, body, to: prelude, type: type)
                expectRefusal(answer, "\(operation.id) as \(type ?? "nothing")")
            }
        }
        #expect(await state(prelude) == before)
    }

    @Test func `members that nobody knows are ignored`() async throws {
        for operation in Self.withJSON {
            let content = try #require(operation.body)
            var answers: [Response] = []
            for body in [try #require(content.example).serialized(), BadValues(of: content).withUnknownMember] {
                answers.append(await send(operation, body, to: try await PreludeWorld()))
            }
            #expect(answers.map(\.status) == [200, 200], "\(operation.id): \(answers.map(\.text))")
            #expect(answers[0].json.names == answers[1].json.names)
        }
    }

    @Test func `a bad value of a parameter is refused or finds nothing`() async throws {
        let prelude = try await PreludeWorld()
        #expect(await prelude.create().status == 200)
        let before = await state(prelude)
        let long = String(repeating: "9", count: 5000)
        let texts = ["%00", "%FF", "%ED%A0%80", "a%0Ab", "%7F", "%F0%9F%98%80", "%20", long]
        for operation in Self.operations where operation.path.hasPrefix("/prelude/v2/") {
            let body = operation.body?.example?.serialized() ?? []
            let type = operation.body?.type
            for text in texts {
                for parameter in operation.parameters {
                    let field = parameter.field.name
                    let what = "\(operation.id) \(field)=\(text.prefix(12))"
                    switch parameter.place {
                    case .path:
                        let path = operation.path.replacing("{\(field)}", with: text)
                        let answer = await send(operation, body, to: prelude, type: type, path: path)
                        // A value that can be no segment of a path is answered as everywhere.
                        if answer.status == 404, answer.json["code"]?.integer == 8001 { continue }
                        expectRefusal(answer, what)
                    case .query:
                        // Some take any text of their length.
                        let answer = await send(operation, body, to: prelude, type: type, query: "\(field)=\(text)")
                        #expect(answer.status < 500, "\(what)")
                    default: break
                    }
                }
            }
        }
        #expect(await state(prelude) == before)
    }
}
