internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Why a call of the sandbox surface fails; in the platform's shape.
enum SandboxError: SurfaceError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case unknownSession
    case alreadyDone
    /// - Parameter call: the call by which the session succeeds.
    case succeedsByItsCall(_ call: String)
    /// The demo has no such file.
    case noSuchFile
    /// Too many callers from this address are waiting.
    case rateLimited(LimitHit)
    /// The failure that the URL requests.
    case asAsked(WebhookReceiver.Failure)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    /// - Parameter calls: the calls by which sessions of some products succeed, if no other call can.
    init(_ refusal: SessionAdministration.Refusal, _ calls: [ProductName: String] = [:]) {
        switch refusal {
        case .unknownSession: self = .unknownSession
        case .alreadyDone: self = .alreadyDone
        case .succeedsByItsCall(let product): self = .succeedsByItsCall(calls[product] ?? "its own call")
        case .engine(let fault): self.init(fault)
        }
    }

    init(_ refusal: WaitingPlaces.Refusal) {
        switch refusal {
        case .ofAddress: self = .rateLimited(LimitHit(.waitsPerAddress, retryAfterSeconds: 5))
        case .all: self = .overloaded
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    private var entry: (status: Int, code: Int, message: String) {
        switch self {
        case .body(.mediaType(let expected)): (415, 8001, BodyDefect.mediaType(expected: expected).message)
        case .body(.tooLarge(let bound)): (413, 8001, BodyDefect.tooLarge(bound).message)
        case .body(let defect): (400, 8001, defect.message)
        case .field(let defect): (400, 8001, defect.message)
        case .unknownSession: (404, 8008, "there is no session with this correlation ID")
        case .rateLimited(let hit): (429, 8004, hit.message)
        case .asAsked(let failure): (failure.status, 8000, "the query of the URL asks for this")
        case .alreadyDone: (409, 8003, "the session has ended")
        case .succeedsByItsCall(let call):
            (409, 8003, "this session succeeds by \(call), and no caller would learn of a success without it")
        case .noSuchFile: (404, 8001, "there is no such file; /demo is the page")
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
        case .asAsked(let failure):
            if let seconds = failure.retryAfter { response.add("Retry-After", String(seconds)) }
            if failure.aborts { response.add("webhook-delivery", "abort-message") }
        case .body, .field, .unknownSession, .alreadyDone, .succeedsByItsCall, .noSuchFile, .internalFault: break
        }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }
}
