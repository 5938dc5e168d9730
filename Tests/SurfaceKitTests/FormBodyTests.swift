@testable import ProveSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Possession
import StrictJSON
import Testing

/// A body that is a form, read by the same members as one in JSON.
@Suite struct FormBodyTests {
    private struct Order: Sendable, Equatable {
        var name = ""
        var colour: String?
    }

    private struct Paint: Endpoint {
        typealias Refusal = PlatformError

        static let call = Call(.post, "/paint", id: "paint", "Paint", "", body: .form(upTo: BodyBound(bytes: 64)))
        static let body = Shape(Order()) {
            Member.required("name", .text(.freeText(8)), "Whose.") { $0.name = $1 }
            Member.optional("colour", .anyText) { $0.colour = $1 }
        }
        static let reply = Reply<Order>(headers: [("Cache-Control", "no-store")], example: #"{"name":"x"}"#) {
            ReplyMember.always("name", .text) { $0.name }
        }

        func respond(to order: Order, of request: Request, from caller: Nothing) async throws(PlatformError) -> Order {
            order
        }
    }

    private static func request(_ body: String, contentType: String? = RequestBody.form) -> Request {
        let headers = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        return Request(method: .post, path: "/paint", headers: Headers(headers), body: Array(body.utf8), id: "r")
    }

    @Test(arguments: [
        ("name=a&colour=red", "a", "red"), ("colour=r%65d+1&name=a%26b", "a&b", "red 1"), ("name=a&colour=", "a", nil),
        ("name=a&&colour", "a", nil), ("name=a&size=9", "a", nil), ("name=a=b", "a=b", nil),
    ]) func `gives its fields to the members`(body: String, name: String, colour: String?) throws {
        #expect(try EndpointForm(Paint.self).read(Self.request(body)) == Order(name: name, colour: colour))
    }

    @Test(arguments: [
        ("", "field 'name' is missing"), ("name=", "field 'name' is missing"),
        ("name=123456789", "field 'name' is longer than 8 characters"),
        ("name=a&name=b", "field 'name' is there twice"),
        ("name=a&x=1&x=2", "the body is not acceptable: a field is there twice"),
        ("name=%4", "the body is not acceptable: it is not form-encoded UTF-8"),
        ("name=%FF", "the body is not acceptable: it is not form-encoded UTF-8"),
        ("name=" + String(repeating: "a", count: 60), "the body is larger than 64 bytes"),
    ]) func `is refused by its first mistake`(body: String, message: String) {
        #expect(
            Self.message { () throws(PlatformError) in _ = try EndpointForm(Paint.self).read(Self.request(body)) }
                == message)
    }

    @Test func `has at most 32 fields`() throws {
        func fields(_ count: Int) -> [UInt8] { Array((0..<count).map { "\($0)=1" }.joined(separator: "&").utf8) }
        #expect(try FormBody.object(fields(32), known: []).names.count == 32)
        #expect(throws: BodyDefect.malformed(reason: "it has too many fields")) {
            try FormBody.object(fields(33), known: [])
        }
    }

    @Test(arguments: [nil, "application/json", "application/x-www-form-urlencoded; charset=utf-16"])
    func `has its own media type`(contentType: String?) {
        let message = BodyDefect.mediaType(expected: RequestBody.form).message
        #expect(
            Self.message { () throws(PlatformError) in
                _ = try EndpointForm(Paint.self).read(Self.request("name=a", contentType: contentType))
            } == message)
        let rule = Paint.call.body.rule { PlatformError($0).response }
        #expect(rule.maxBytes == 64)
        #expect(rule.refusal(ofHead: Self.request("", contentType: contentType))?.status == 415)
        #expect(rule.refusal(ofHead: Self.request("")) == nil)
    }

    @Test func `is described as a form, without null`() throws {
        let operation = try #require(Paint.operations(.platform, caller: nil, common: []).first)
        let body = try #require(operation.body)
        #expect(body.type == RequestBody.form)
        #expect(
            body.schema
                == .record(
                    [must("name", .text(most: 8, pattern: Self.plain), "Whose."), may("colour", .text())], others: true)
        )
        #expect(operation.errors.map(\.status) == [400, 415, 413])
    }

    private static let plain = #"^[^\u0000-\u001f\u007f-\u009f]*$"#

    @Test func `is answered by what the reply says`() async throws {
        let response = try await Paint().answer(Self.request("name=a"), from: Nothing(), EndpointForm(Paint.self))
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"name":"a"}"#)
        #expect(response.headers.contains { $0.name == "Cache-Control" && $0.value == "no-store" })
        let answer = try #require(Paint.reply.answers(Paint.call).first)
        #expect(answer.headers == ["Cache-Control"])
        #expect(answer.content?.example == ["name": "x"])
    }

    private static func message(_ work: () throws(PlatformError) -> Void) -> String? {
        do throws(PlatformError) { try work() } catch {
            switch error {
            case .body(let defect): return defect.message
            case .field(let defect): return defect.message
            default: return nil
            }
        }
        return nil
    }
}
