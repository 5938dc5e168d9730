internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Bodies of the `/v3` calls. Members nobody asks for are ignored: older and newer SDKs send more (contract section 2).
enum PlatformBody {
    static func reader(
        of request: Request, upTo bound: BodyBound = .session
    ) throws(PlatformError) -> FieldReader {
        do throws(BodyDefect) { return FieldReader(try RequestBody.object(of: request, upTo: bound)) } catch {
            throw .body(error)
        }
    }
}

/// The members that status and bind share. All of them are checked before the id is looked up (contract section 8).
struct SessionReference: Sendable {
    let correlationID: String
    let clientRequestID: String?

    /// - Throws: `.unknownCorrelationID` for an id in any other form than ours.
    func id(of request: Request) throws(PlatformError) -> CorrelationID {
        guard let id = CorrelationID(correlationID) else { throw .unknownCorrelationID }
        request.note(id)
        return id
    }
}
