internal import HTTPServer
internal import StrictJSON

/// What the body of a call may be.
enum IdentityBody: Sendable {
    /// Whatever comes with the call is not looked at.
    case none
    /// A JSON object, or nothing at all.
    case optional
    /// A JSON object of at most 4 KiB.
    case single
    /// A JSON object as large as the server takes any (`server.maxBodyBytes`): a batch has up to 1,000 items.
    case batch

    /// `nil`: as much as the server takes.
    var maxBytes: Int? {
        switch self {
        case .none: 0
        case .optional, .single: RequestBody.maxBytes
        case .batch: nil
        }
    }

    /// - Throws: `.body`.
    func reader(of request: Request) throws(PlatformError) -> FieldReader {
        if isNothing(request) { return FieldReader(JSONObject()) }
        do throws(BodyDefect) {
            return FieldReader(try RequestBody.object(of: request, maxBytes: maxBytes ?? .max))
        } catch {
            throw .body(error)
        }
    }

    func checkHead(_ request: Request) throws(PlatformError) {
        do throws(BodyDefect) {
            switch self {
            case .none: break
            case .optional: try RequestBody.checkHeadIfAnnounced(request, mediaType: RequestBody.json)
            case .single, .batch:
                try RequestBody.checkHead(request, mediaType: RequestBody.json, maxBytes: maxBytes ?? .max)
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
