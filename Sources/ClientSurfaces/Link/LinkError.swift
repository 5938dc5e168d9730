internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Why the holder of a link gets an error page.
enum LinkError: SurfaceError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    private var status: Int {
        switch self {
        case .body(.mediaType): 415
        case .body(.tooLarge): 413
        case .body(.empty), .body(.malformed), .body(.repeated), .field: 400
        case .rateLimited: 429
        case .overloaded: 503
        case .internalFault: 500
        }
    }

    /// For the developer of a form; a person gets it only if the browser sends something other than the page's form.
    var detail: String? {
        switch self {
        case .body(let defect): defect.message
        case .field(let defect): defect.message
        case .rateLimited(let hit): hit.message
        case .overloaded, .internalFault: nil
        }
    }

    /// Without its page, which `LinkPages` adds.
    var response: Response {
        var response = Response(status: status)
        switch self {
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .overloaded: response.add("Retry-After", "1")
        case .body, .field, .internalFault: break
        }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }
}
