internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Why a hop ends the chain: `{"error":"mobile_auth_unavailable"}`. The phone ignores the reason; a developer sees the
/// status.
enum HopError: PhoneHopError, Sendable, Equatable {
    /// A parameter is missing or malformed.
    case unreadable
    case otherAddress
    case unknown
    case gone
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .unreadable }

    init(_ defect: FieldDefect) { self = .unreadable }

    init(_ refusal: Session.HopRefusal) {
        switch refusal {
        case .unknown: self = .unknown
        case .otherAddress: self = .otherAddress
        case .gone: self = .gone
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    private var status: Int {
        switch self {
        case .unreadable: 400
        case .otherAddress: 403
        case .unknown: 404
        case .gone: 410
        case .rateLimited: 429
        case .internalFault: 500
        case .overloaded: 503
        }
    }

    var response: Response {
        switch self {
        case .rateLimited(let hit):
            var response = HopAnswer.failed(status, message: hit.message)
            response.add("Retry-After", String(hit.retryAfterSeconds))
            return response
        case .overloaded:
            var response = HopAnswer.failed(status)
            response.add("Retry-After", "1")
            return response
        case .unreadable, .otherAddress, .unknown, .gone, .internalFault: return HopAnswer.failed(status)
        }
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        must("error", .choice([HopAnswer.unavailable]), "Mobile Auth has no result; to be handed in at finish."),
        may("message", .text(), "The message names the limit that refused the call."),
    ])
}
