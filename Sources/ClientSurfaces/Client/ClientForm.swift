internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// Reads and answers the calls of one endpoint. Created once, because the static declarations of a generic endpoint are
/// computed on each access.
struct ClientForm<E: ClientEndpoint>: Sendable {
    let reply: Reply<E.Answered>
    private let shape: Shape<E.Body>
    /// Names of allowed members.
    private let names: [String]
    private let mayBeAbsent: Bool

    init(_ endpoint: E.Type) {
        reply = E.reply
        shape = E.body
        names = shape.names + [Self.requestID]
        mayBeAbsent = E.call.body.presence == .optional
    }

    private static var requestID: String { "requestId" }
    /// The rule for a retry key (client protocol 4.3).
    private static var requestIDRule: TextRule { .freeText(36) }

    /// The members of the body; refuses all members except those of the endpoint and the retry key.
    func fields(of request: Request) throws(ClientError) -> FieldReader {
        let object: JSONObject
        do throws(BodyDefect) {
            object =
                mayBeAbsent ? try RequestBody.objectOrNothing(of: request) : try RequestBody.object(of: request)
        } catch { throw ClientError(error) }
        let fields = FieldReader(object)
        do throws(FieldDefect) { try fields.refuseOthers(than: names) } catch { throw ClientError(error) }
        return fields
    }

    /// The caller's ID of the call, by which a retry is recognized.
    func requestID(_ fields: FieldReader) throws(ClientError) -> String? {
        do throws(FieldDefect) { return try fields.text(Self.requestID, Self.requestIDRule) } catch {
            throw ClientError(error)
        }
    }

    func body(_ fields: FieldReader, _ endpoint: E) throws(ClientError) -> E.Body {
        do throws(FieldDefect) {
            try endpoint.check(fields)
            return try shape.read(fields)
        } catch { throw ClientError(error) }
    }
}
