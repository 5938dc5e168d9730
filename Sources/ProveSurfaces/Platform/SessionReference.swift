internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// The members that status and bind share. All of them are checked before the ID is looked up (contract section 8).
struct SessionReference: Sendable {
    var correlationID = ""
    var clientRequestID: String?

    /// - Throws: `.unknownSession` for an ID in a form that the server never issues.
    func id(of request: Request) throws(PlatformRefusal) -> CorrelationID {
        guard let id = CorrelationID(correlationID) else { throw .unknownSession }
        request.note(id)
        return id
    }

    static let correlationID = Member<SessionReference>.required(
        "correlationId", .sessionID, "It names the session. An unknown one answers 8008."
    ) { $0.correlationID = $1 }
    static let clientRequestID = Member<SessionReference>.optional(
        "clientRequestId", .reference, "Any text of yours. The answer repeats it."
    ) {
        $0.clientRequestID = $1
    }
}
