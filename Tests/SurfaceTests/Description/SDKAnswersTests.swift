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

/// The judge of answers itself: what it must let pass, and what not.
struct SDKAnswersTests {
    @Test func `every recorded answer can be read`() throws {
        let read = APIDescription.operations(isSandbox: true).filter { SDKAnswers.isRead($0.method, $0.path) }
        #expect(read.count > 30)
        let recorded = RecordedAnswers()
        for operation in read {
            let answer = try #require(recorded.answer(to: operation.recordedID)?.object, "\(operation.id)")
            #expect(Self.defects(operation.path, answer, operation.method) == [], "\(operation.id)")
        }
    }

    @Test(arguments: [
        ("/v3/unify-status", #"{"success":"true","evaluation":{"risk":{"result":"pass"}}}"#),
        ("/v3/validate", #"{"success":true,"next":{"done":"done"}}"#),
        ("/v3/verify", #"{"success":"true","identity":{"reasons":[]}}"#),
        ("/v3/verify/batch", #"{"results":[{"phoneNumber":"","clientCustomerId":"","success":"false"}]}"#),
        ("/v3/identity/{identityId}/cross-domain", #"{"count":0,"identities":[]}"#),
        ("/v3/complete", #"{"success":true,"idv":{"dataSource1":{"address":{"distance":0.5}}}}"#),
        ("/verify", #"{"success":true}"#), ("/finish", #"{"success":true}"#), ("/token", #"{"expires_in":3600}"#),
    ]) func `passes what can be read`(path: String, body: String) throws {
        #expect(Self.defects(path, try JSONObject.parse(Array(body.utf8))) == [])
    }

    @Test(arguments: [
        ("/v3/unify", #"{"success":true}"#, "success is no text"),
        ("/v3/unify", #"{"success":"success"}"#, "success is wrong"),
        ("/v3/unify", #"{"authToken":null}"#, ".authToken is null"),
        ("/v3/unify", #"{"authToken":""}"#, ".authToken is empty"),
        ("/v3/unify", #"{"correlationId":7}"#, "correlationId is no text"),
        ("/v3/validate", #"{"success":"true"}"#, "success is wrong"),
        ("/verify", #"{"success":"true"}"#, "success is wrong"),
        ("/v3/validate", #"{"next":{}}"#, ".next is empty"),
        ("/v3/unify-status", #"{"evaluation":{"risk":true}}"#, ".evaluation.risk is no object"),
        ("/v3/unify-status", #"{"evaluation":"pass"}"#, ".evaluation is no object"),
        (
            "/v3/verify/batch", #"{"results":[{"evaluation":{"risk":"pass"}}]}"#,
            ".results[].evaluation.risk is no object"
        ),
        ("/v3/verify/batch", #"{"results":[{"proveId":""}]}"#, ".results[].proveId is empty"),
        ("/v3/verify", #"{"phoneNumber":""}"#, ".phoneNumber is empty"),
        ("/token", #"{"expires_in":"3600"}"#, "expires_in is no integer"),
        ("/token", #"{"expires_in":3600.5}"#, ".expires_in is no whole number"),
        ("/v3/complete", #"{"kyc":{"amlTypeLists":[]}}"#, ".kyc.amlTypeLists is empty"),
    ]) func `names what cannot`(path: String, body: String, defect: String) throws {
        #expect(Self.defects(path, try JSONObject.parse(Array(body.utf8))).contains(defect))
    }

    @Test func `an error has a message, and only 200 is success`() {
        let wrong: [(Response, String)] = [
            (.json(201, ["success": "pending"]), "the status is no success to an SDK"),
            (Response(status: 204), "the type is not application/json"),
            (.json(401, ["error": "invalid_client"]), "there is no message"),
            (.json(400, ["message": 7]), "there is no message"),
            (
                Response(status: 400, headers: [("Content-Type", "application/problem+json")], body: []),
                "the type is not application/json"
            ),
            (
                Response(status: 200, headers: [("Content-Type", "application/json")], body: Array("[]".utf8)),
                "not a JSON object"
            ),
        ]
        for (response, defect) in wrong {
            #expect(SDKAnswers.defects(of: response, method: .post, pattern: "/v3/unify").contains(defect))
        }
        let error = Response.coded(400, code: 8001, message: "m")
        #expect(SDKAnswers.defects(of: error, method: .post, pattern: "/v3/unify") == [])
        #expect(SDKAnswers.defects(of: Response(status: 204), method: .post, pattern: "/client/v1/session") == [])
    }

    private static func defects(_ path: String, _ body: JSONObject, _ method: Method = .post) -> [String] {
        SDKAnswers.defects(of: .json(200, body), method: method, pattern: path)
    }
}
