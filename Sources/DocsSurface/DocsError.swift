internal import HTTPServer
internal import SurfaceKit

/// Why a page of the documentation cannot be shown; in the platform's shape.
enum DocsError: SurfaceError, Sendable, Equatable {
    case noSuchPage
    case unreadable(String)

    init(_ defect: BodyDefect) { self = .unreadable(defect.message) }

    init(_ defect: FieldDefect) { self = .unreadable(defect.message) }

    var response: Response {
        switch self {
        case .noSuchPage: .coded(404, code: 8001, message: "there is no such page; /docs lists them")
        case .unreadable(let message): .coded(400, code: 8001, message: message)
        }
    }

    var report: String? { nil }
}
