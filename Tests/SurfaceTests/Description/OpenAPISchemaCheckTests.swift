@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import StrictJSON
import Testing

/// The judge itself: what it must not let pass.
struct OpenAPISchemaCheckTests {
    private static let check = OpenAPISchemaCheck(OpenAPIAnswers.document)
    private static let schema = Schema.any(of: [
        .record([must("a", .integer(0...3)), may("b", .text(most: 2, pattern: "^x")), may("c", .choice(["y"]))]),
        Schema.list(of: .named("CodedError")).with("maxItems", 1),
    ])

    @Test(arguments: [
        (#"{"a":3,"b":"xé","c":"y"}"#, true), (#"{"a":4}"#, false), (#"{"a":-1}"#, false), (#"{"a":"3"}"#, false),
        (#"{"b":"x"}"#, false), (#"{"a":0,"b":"xyz"}"#, false), (#"{"a":0,"b":"y"}"#, false),
        (#"{"a":0,"c":"z"}"#, false), (#"{"a":0,"d":1}"#, false), (#"{"a":null}"#, false), ("[]", true),
        (#"[{"code":8001,"message":"m"}]"#, true), (#"[{"code":8001}]"#, false), ("true", false),
        (#"[{"code":8001,"message":"m"},{"code":8001,"message":"m"}]"#, false),
    ]) func `tells what fits from what does not`(text: String, fits: Bool) throws {
        let value = try JSONValue.parse(Array(text.utf8))
        #expect(Self.check.defects(of: value, Self.schema.object).isEmpty == fits)
    }

    @Test func `names a status, a code and a member that are not described`() {
        let path = "/v3/device/revoke"
        let answers: [(Response, String)] = [
            (.json(418, JSONObject()), "the status is not described"),
            (.coded(404, code: 8008, message: "m"), "is not listed"),
            (.json(200, ["success": true, "more": 1]), "$.more: is not described"),
            (Response(status: 200), "there is no content"),
        ]
        for (answer, defect) in answers {
            let defects = OpenAPIAnswers.defects(of: answer, method: .post, pattern: path)
            #expect(defects.contains { $0.contains(defect) }, "\(defect): \(defects)")
        }
        #expect(OpenAPIAnswers.defects(of: .json(200, ["success": true]), method: .post, pattern: path) == [])
    }
}
