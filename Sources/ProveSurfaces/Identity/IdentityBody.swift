internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// What the body of a call may be.
enum IdentityBody: Sendable {
    /// Whatever comes with the call is not looked at.
    case none
    /// A JSON object, or nothing at all.
    case optional
    /// A JSON object.
    case single
    /// A JSON object about one person, with attributes.
    case person
    /// A JSON object as large as the server takes any (`server.maxBodyBytes`): a batch has up to 1,000 items.
    case batch

    var bound: BodyBound {
        switch self {
        case .none: .none
        case .optional, .single: .session
        case .person: .person
        case .batch: .batch
        }
    }

    /// - Throws: `.body`.
    func reader(of request: Request) throws(PlatformError) -> FieldReader {
        if isNothing(request) { return FieldReader(JSONObject()) }
        do throws(BodyDefect) {
            return FieldReader(try RequestBody.object(of: request, upTo: bound))
        } catch {
            throw .body(error)
        }
    }

    func checkHead(_ request: Request) throws(PlatformError) {
        do throws(BodyDefect) {
            switch self {
            case .none: break
            case .optional:
                try RequestBody.checkHeadIfAnnounced(request, mediaType: RequestBody.json, upTo: bound)
            case .single, .person, .batch:
                try RequestBody.checkHead(request, mediaType: RequestBody.json, upTo: bound)
            }
        } catch {
            throw .body(error)
        }
    }

    /// Some clients name the type of a body that they then leave out.
    private func isNothing(_ request: Request) -> Bool {
        self == .none || self == .optional && request.body.isEmpty
    }
}
