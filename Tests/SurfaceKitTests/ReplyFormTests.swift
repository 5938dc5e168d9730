@testable import OperationsSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Possession
import StrictJSON
import Testing

/// Answers of an endpoint, as a response and as described.
@Suite struct ReplyFormTests {
    /// Sends its caller on.
    private struct Forward: OperationsEndpoint, ImmediateEndpoint {
        static let call = Call(.get, "/forward", id: "forward", "Go on", "")
        static let parameters = Parameters<Nothing, OperationsError> {
            ParameterMember.header("If-None-Match", .text(), "Of another version.")
        }
        static let reply = ResponseReply<String>([Answer(status: 302, about: "Go on.", headers: ["Location"])]) {
            Response(status: 302, headers: [("Location", $0)])
        }

        func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> String {
            guard let place = request.headers["x-place"] else { throw .notReady("no place") }
            return place
        }
    }

    private static func send(_ headers: [(name: String, value: String)]) async throws -> Response {
        let request = Request(method: .get, path: "/forward", headers: Headers(headers), id: "r")
        return await Router([Forward().route]).response(to: request, failureResponse: failureResponse)
    }

    @Test func `may be another response than JSON, at once`() async throws {
        let response = try await Self.send([("X-Place", "/there"), ("If-None-Match", "*")])
        #expect(response.status == 302)
        #expect(response.headers.map(\.value) == ["/there"])
        #expect(try await Self.send([]).status == 503)
    }

    @Test func `is described by its own statuses, beside the header fields that count`() throws {
        let operation = try #require(Forward.operations.first)
        #expect(operation.answers.map(\.status) == [302])
        #expect(operation.answers.first?.headers == ["Location"])
        #expect(operation.body == nil && operation.bound == nil)
        #expect(operation.parameters.map(\.place) == [.header])
        #expect(operation.parameters.map(\.field) == [may("If-None-Match", .text(), "Of another version.")])
        #expect(operation.listeners == ["public", "operations"])
    }

    @Test func `has members of a part of its value`() {
        typealias Pair = (name: String, age: Int)
        let name = [ReplyMember<String>.always("name", .text) { $0 }]
        let reply = Reply<Pair> {
            ReplyMember.part({ $0.name }, name)
            ReplyMember.always("age", .integer(0...9)) { $0.age }
        }
        #expect(reply.object((name: "a", age: 3)) == ["name": "a", "age": 3])
        #expect(reply.schema == .record([must("name", .text()), must("age", .integer(0...9))]))
    }

    @Test func `a parameter that something else judges may be empty`() throws {
        let parameters = Parameters<String?, OperationsError> {
            ParameterMember.optionalQuery("t", .anyText) { $0 = $1 }
        }
        func read(_ query: String) throws(OperationsError) -> String? {
            var text: String?
            try parameters.read(Request(method: .get, path: "/", rawQuery: query, id: "r"), into: &text)
            return text
        }
        #expect(try read("t=") == "")
        #expect(try read("t=a%20b") == "a b")
        #expect(try read("") == nil)
    }

    @Test func `a whole number of a body is one without fraction`() throws {
        let shape = Shape<Int64>(0) { Member.required("n", .integer(0...9)) { $0 = $1 } }
        #expect(try shape.read(FieldReader(["n": 12])) == 12)
        #expect(throws: FieldDefect("n", "must be a whole number")) { try shape.read(FieldReader(["n": "1"])) }
        #expect(shape.fields == [must("n", .integer(0...9))])
    }
}
