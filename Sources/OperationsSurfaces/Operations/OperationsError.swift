internal import HTTPServer
internal import SurfaceKit

/// Why a call of the operations surface fails; in the platform's shape.
enum OperationsError: SurfaceError, Sendable, Equatable {
    /// The server cannot work, and the reason; contains no data.
    case notReady(String)
    /// The answer for programs at the path of the front page.
    case nothingHere(hasDocs: Bool)
    /// The web library has no such file, or this server has another version.
    case noSuchFile
    case unreadable(String)

    init(_ defect: BodyDefect) { self = .unreadable(defect.message) }

    init(_ defect: FieldDefect) { self = .unreadable(defect.message) }

    var response: Response {
        switch self {
        case .notReady(let reason):
            var response = Response.coded(503, code: 8000, message: "the server is not ready: \(reason)")
            response.add("Retry-After", "1")
            return response
        case .nothingHere(let hasDocs):
            return .coded(
                404, code: 8001,
                message: "there is nothing at this path" + (hasDocs ? "; /docs describes every call" : ""))
        case .noSuchFile: return .coded(404, code: 8001, message: "there is no such file; /sdk lists them")
        case .unreadable(let message): return .coded(400, code: 8001, message: message)
        }
    }

    var report: String? { nil }
}
