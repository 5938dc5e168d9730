internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Why a call of the sandbox surface fails; in the platform's shape.
enum SandboxError: Error, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case unknownSession
    case alreadyDone
    /// As many of this address wait as may.
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ refusal: SessionAdministration.Refusal) {
        switch refusal {
        case .unknownSession: self = .unknownSession
        case .alreadyDone: self = .alreadyDone
        case .engine(.overloaded): self = .overloaded
        case .engine(.failed(let reason)): self = .internalFault(reason)
        }
    }

    init(_ refusal: WaitingPlaces.Refusal) {
        switch refusal {
        case .ofAddress: self = .rateLimited(LimitHit(.waitsPerAddress, retryAfterSeconds: 5))
        case .all: self = .overloaded
        }
    }

    init(_ fault: StorageFault) {
        self = fault == .overloaded ? .overloaded : .internalFault("storage: \(fault)")
    }

    private var entry: (status: Int, code: Int, message: String) {
        switch self {
        case .body(.mediaType(let expected)): (415, 8001, BodyDefect.mediaType(expected: expected).message)
        case .body(.tooLarge(let bound)): (413, 8001, BodyDefect.tooLarge(bound).message)
        case .body(let defect): (400, 8001, defect.message)
        case .field(let defect): (400, 8001, defect.message)
        case .unknownSession: (404, 8008, "there is no session with this correlation ID")
        case .rateLimited(let hit): (429, 8004, hit.message)
        case .alreadyDone: (409, 8003, "the session has ended")
        case .overloaded: (503, 8000, "the server is busy; try again")
        case .internalFault: (500, 8000, "internal error")
        }
    }

    var response: Response {
        let entry = entry
        var response = Response.coded(entry.status, code: entry.code, message: entry.message)
        switch self {
        case .overloaded: response.add("Retry-After", "1")
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .body, .field, .unknownSession, .alreadyDone, .internalFault: break
        }
        return response
    }
}
