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

    private var maxBytes: Int { self == .batch ? .max : RequestBody.maxBytes }

    /// - Throws: `.body`.
    func reader(of request: Request) throws(PlatformError) -> FieldReader {
        if isNothing(request) { return FieldReader(JSONObject()) }
        do throws(BodyDefect) {
            return FieldReader(try RequestBody.object(of: request, maxBytes: maxBytes))
        } catch {
            throw .body(error)
        }
    }

    func checkHead(_ request: Request) throws(PlatformError) {
        if self == .none || self == .optional { return }
        do throws(BodyDefect) {
            try RequestBody.checkHead(request, mediaType: RequestBody.json, maxBytes: maxBytes)
        } catch {
            throw .body(error)
        }
    }

    /// Some clients name the type of a body that they then leave out.
    private func isNothing(_ request: Request) -> Bool {
        self == .none || self == .optional && request.body.isEmpty
    }
}
