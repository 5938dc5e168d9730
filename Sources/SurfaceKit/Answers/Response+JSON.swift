package import HTTPServer
package import StrictJSON

/// Answers that all surfaces build in the same way.
extension Response {
    /// In lower case, because the Java SDK compares it that way (Prove 13.4). The engine adds `Cache-Control: no-store`
    /// and `X-Content-Type-Options` to every answer that does not set them itself (API-18).
    private static let jsonHeaders: [(name: String, value: String)] = [("Content-Type", "application/json")]

    package static func json(_ status: Int, _ object: JSONObject) -> Response {
        json(status, bytes: object.serialized())
    }

    package static func json(_ status: Int, bytes: [UInt8]) -> Response {
        Response(status: status, headers: jsonHeaders, body: bytes)
    }

    /// The error shape of the platform, and of surfaces without their own: `{"code":8001,"message":"field 'x' is
    /// missing"}`.
    package static func coded(_ status: Int, code: Int, message: String) -> Response {
        var object = JSONObject()
        object.set("code", code)
        object.set("message", message)
        var response = json(status, object)
        response.error = String(code)
        return response
    }

    package mutating func add(_ name: String, _ value: String) {
        headers.append((name, value))
    }
}

/// The engine's own failures in the platform's shape, which is also used for paths of no other surface (contract
/// section 8). The engine adds `Allow`.
package func failureResponse(_ failure: HTTPFailure) -> Response { failureResponse(failure, besideDocs: false) }

/// - Parameter besideDocs: the listener also serves `/docs`; the answer to an unknown path mentions it.
package func failureResponse(_ failure: HTTPFailure, besideDocs: Bool) -> Response {
    let isLost = besideDocs && failure == .notFound
    let message = failure.message + (isLost ? "; /docs describes every call" : "")
    var response = Response.coded(failure.status, code: code(of: failure), message: message)
    if failure == .overloaded { response.add("Retry-After", "1") }
    return response
}

private func code(of failure: HTTPFailure) -> Int {
    failure.status < 500 || failure == .notImplemented || failure == .versionNotSupported ? 8001 : 8000
}

extension HTTPFailure {
    /// The reason, as text of the program.
    package var message: String {
        switch self {
        case .badRequest(let reason): "the request is malformed: \(reason)"
        case .notFound: "there is nothing at this path"
        case .doubleSlash: "the path begins with two slashes: the base URL must not end with a slash"
        case .misdirected:
            "this server is not called by this name: use localhost or an IP address, or set server.publicUrl or server.hostNames"
        case .methodNotAllowed(let method, let allow): Self.message(of: method, allow)
        case .requestTimeout: "the request did not arrive in time"
        case .contentTooLarge: "the body is too large"
        case .uriTooLong: "the request target is too long"
        case .headerFieldsTooLarge: "the header fields are too large"
        case .expectationFailed: "the expectation cannot be met"
        case .notImplemented: "the method or transfer coding is not known"
        case .versionNotSupported: "only HTTP/1.1 and HTTP/1.0 are spoken"
        case .overloaded: "the server is busy; try again"
        case .internalFault: "internal error"
        }
    }

    /// Leaves out HEAD and OPTIONS, which are always allowed. An unknown method never gets here, so no input is
    /// repeated.
    private static func message(of method: HTTPServer.Method, _ allow: [HTTPServer.Method]) -> String {
        let named = allow.filter { $0 != .head && $0 != .options }
        guard !named.isEmpty else { return "\(method.text) is not taken here" }
        return "\(method.text) is not taken here; use \(named.map(\.text).joined(separator: " or "))"
    }
}
