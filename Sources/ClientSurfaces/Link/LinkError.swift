internal import Possession
internal import SurfaceKit

/// Why the holder of a link gets a page that says what went wrong.
enum LinkError: Error, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    var status: Int {
        switch self {
        case .body(.mediaType): 415
        case .body(.tooLarge): 413
        case .body(.empty), .body(.malformed), .field: 400
        case .rateLimited: 429
        case .overloaded: 503
        case .internalFault: 500
        }
    }

    /// For whoever wrote the form; a person meets it only with a browser that sends something else than the page says.
    var detail: String? {
        switch self {
        case .body(let defect): defect.message
        case .field(let defect): defect.message
        case .rateLimited(let hit): hit.message
        case .overloaded, .internalFault: nil
        }
    }
}
