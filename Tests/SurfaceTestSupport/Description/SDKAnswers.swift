@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import StrictJSON
import TestSupport

/// Holds answers of platform and app surface to what the official SDKs can read (Prove 13.4).
enum SDKAnswers {
    /// Those that SDKs, or snippets of the guides, read.
    private static let routes = Set(
        APIDescription.operations(isSandbox: true)
            .filter { ($0.surface == .platform || $0.surface == .app) && $0.method != .options }
            .map { "\($0.method.text) \($0.path)" })
    /// Where `success` is a text; elsewhere it is a boolean.
    private static let textual = ["/v3/unify", "/v3/unify-status", "/v3/unify-bind", "/v3/verify", "/v3/verify/batch"]
    /// Members of a batch's results that are required and sent empty for want of a value.
    private static let mayBeEmpty = ["phoneNumber", "clientCustomerId"]

    static func isRead(_ method: Method, _ pattern: String) -> Bool { routes.contains("\(method.text) \(pattern)") }

    static func defects(of response: Response, method: Method, pattern: String) -> [String] {
        guard isRead(method, pattern) else { return [] }
        var defects = shape(of: response, pattern)
        if response.status != 200 && response.status < 400 { defects.append("the status is no success to an SDK") }
        if response.header("content-type")?.prefix(while: { $0 != ";" }) != "application/json" {
            defects.append("the type is not application/json")
        }
        if response.status != 200 && response.json["message"]?.string == nil { defects.append("there is no message") }
        return defects
    }

    private static func shape(of response: Response, _ pattern: String) -> [String] {
        let successIsText = textual.contains { $0 == pattern || $0 == "/v3\(pattern)" } && pattern != "/verify"
        let isBatch = pattern == "/v3/verify/batch"
        return SDKShape.defects(
            of: response.body, successIsText: successIsText, mayBeEmpty: isBatch ? mayBeEmpty : [])
    }
}
