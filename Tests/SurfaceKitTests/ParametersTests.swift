@testable import ProveSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Possession
import StrictJSON
import Testing

/// The parameters of a call: how they are read, and how they are described.
@Suite struct ParametersTests {
    private struct Order: Sendable, Equatable {
        var id: HolderID?
        var name: String?
        var limit: Int?
        var wait: Int?
        var isShown: Bool?
    }

    private static let parameters = Parameters<Order, PlatformError> {
        ParameterMember.ignoredQuery("requestId", .text(.freeText(4)), "Checked.")
        ParameterMember.path("id", .identifier(HolderID.self), "Whose.", orRefuse: .notFound(what: "identity")) {
            $0.id = $1
        }
        ParameterMember.optionalQuery("limit", .wholeNumber(in: 1...100)) { $0.limit = $1 }
        ParameterMember.optionalQuery("wait", .wholeNumber(upTo: 25)) { $0.wait = $1 }
        ParameterMember.optionalQuery("show", .flag) { $0.isShown = $1 }
        ParameterMember.requiredQuery("name", .text(.phoneNumber)) { $0.name = $1 }
    }
    private static let id = "019b7907-8d58-7500-8000-000000000001"

    private static func read(_ query: String, id: String = id) throws(PlatformError) -> Order {
        var order = Order()
        let request = Request(
            method: .get, path: "/", rawQuery: query, parameters: PathParameters([("id", id)]), id: "r")
        try parameters.read(request, into: &order)
        return order
    }

    @Test func `go into the value of the call`() throws {
        let order = try Self.read("limit=100&wait=0&show=True&name=2001004014&requestId=r-1")
        #expect(order == Order(id: HolderID(Self.id), name: "2001004014", limit: 100, wait: 0, isShown: true))
    }

    @Test func `may be absent, or empty`() throws {
        let order = Order(id: HolderID(Self.id), name: "1")
        #expect(try Self.read("name=1") == order)
        #expect(try Self.read("name=1&limit=&show=&requestId=") == order)
    }

    @Test(arguments: [
        ("", "name", "is missing"), ("name=", "name", "is missing"),
        ("name=%21", "name", "may have only letters, digits, blanks and + - . ( )"),
        ("limit=0", "limit", "must be a whole number from 1 to 100"),
        ("limit=101", "limit", "must be a whole number from 1 to 100"),
        ("limit=x", "limit", "must be a whole number from 1 to 100"),
        ("wait=", "wait", "must be a whole number"), ("wait=-1", "wait", "must be a whole number"),
        ("wait=1000000000000000000", "wait", "must be a whole number"), ("wait=26", "wait", "must be at most 25"),
        ("show=yes", "show", "must be true or false"), ("show=falsehood", "show", "must be true or false"),
        ("requestId=12345", "requestId", "is longer than 4 characters"),
        ("limit=0&wait=", "limit", "must be a whole number from 1 to 100"),
    ]) func `name the first that is wrong`(query: String, field: String, reason: String) {
        #expect(throws: PlatformError.field(FieldDefect(field, reason))) { try Self.read(query) }
    }

    @Test func `answer in their own way, in their order`() {
        #expect(throws: PlatformError.notFound(what: "identity")) { try Self.read("limit=0", id: "1") }
        #expect(throws: PlatformError.field(FieldDefect("requestId", "is longer than 4 characters"))) {
            try Self.read("requestId=12345", id: "1")
        }
    }

    @Test func `are described with those of the path first`() {
        let described = Self.parameters.described
        #expect(described.map(\.field.name) == ["id", "requestId", "limit", "wait", "show", "name"])
        #expect(described.map(\.place) == [.path, .query, .query, .query, .query, .query])
        #expect(described.map(\.field.isRequired) == [true, false, false, false, false, true])
        #expect(described[0].field.about == "Whose.")
        #expect(described[2].field.schema == .integer(1...100))
        #expect(described[3].field.schema == .integer(0...25))
        #expect(Self.parameters.refusals == [.notFound(what: "identity")])
    }

    /// Generated clients would have a class of their own for a text or none.
    @Test func `that may be absent are described as if they were there`() {
        typealias Member = ParameterMember<Order, PlatformError>
        let id = Member.optionalQuery("id", .identifier(HolderID.self)) { $0.id = $1 }.described.field.schema
        #expect(id == Schema.givenIdentifier)
        let free = TextRule.freeText(4).schema
        #expect(Member.ignoredQuery("requestId", .text(.freeText(4))).described.field.schema == free)
    }

    @Test func `give an example of a mistake`() {
        typealias Member = ParameterMember<Order, PlatformError>
        #expect(Self.parameters.exampleDefect == FieldDefect("requestId", "has a control character"))
        let members = [
            Member.path("id", .identifier(HolderID.self), orRefuse: .notFound(what: "identity")) { $0.id = $1 },
            Member.path("id", .identifier(HolderID.self)) { $0.id = $1 },
            Member.optionalQuery("wait", .wholeNumber(upTo: 25)) { $0.wait = $1 },
            Member.requiredQuery("name", .text(.any)) { $0.name = $1 },
            Member.optionalQuery("name", .text(.any)) { $0.name = $1 },
        ]
        let examples = [
            nil, FieldDefect("id", "must be a UUID"), FieldDefect("wait", "must be a whole number"),
            .missing("name"), nil,
        ]
        #expect(members.map(\.exampleDefect) == examples)
    }

    private static var pattern: String { Schema.givenIdentifier.object["pattern"]?.string ?? "" }
}
