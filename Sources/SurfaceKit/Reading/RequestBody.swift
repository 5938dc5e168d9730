package import HTTPServer
package import StrictJSON
internal import Text

/// Why a body could not be read at all; each surface has its own answer to it.
package enum BodyDefect: Error, Sendable, Equatable {
    case mediaType(expected: String)
    case tooLarge(BodyBound)
    case empty
    case malformed(reason: String)
    /// A field of a form is repeated; its name, if the answer may contain it.
    case repeated(String?)

    package var message: String {
        switch self {
        case .mediaType(let expected): "the Content-Type must be \(expected), in UTF-8, and the body not encoded"
        case .tooLarge(let bound): "the body is larger than \(bound.text)"
        case .empty: "the body is empty; a JSON object is due"
        case .malformed(let reason): "the body is not acceptable: \(reason)"
        case .repeated(let name?): "field '\(name)' is there twice"
        case .repeated(nil): "the body is not acceptable: a field is there twice"
        }
    }

    /// The status of the answer (RFC 9110 section 15.5), unless a contract requires another.
    package var status: Int {
        switch self {
        case .mediaType: 415
        case .tooLarge: 413
        case .empty, .malformed, .repeated: 400
        }
    }
}

/// Reads the bodies of calls about one person or one session.
package enum RequestBody {
    package static let json = "application/json"
    package static let form = "application/x-www-form-urlencoded"

    /// The JSON object in the body (API-07, API-08).
    /// - Parameter names: members that are skipped.
    package static func object(
        of request: Request, upTo bound: BodyBound = .session, skipping names: [String] = []
    ) throws(BodyDefect) -> JSONObject {
        if request.body.isEmpty, request.headers.count("content-type") == 0 { throw .empty }
        try check(request, mediaType: json, upTo: bound)
        var limits = JSONLimits.default
        limits.skippedNames = names
        do { return try JSONObject.parse(request.body, limits: limits) } catch {
            throw .malformed(reason: "\(error.reason), at byte \(error.offset)")
        }
    }

    /// As `object`, for calls whose members are all optional: no body means `{}`. Clients that set the content type of
    /// every call also set it without a body.
    package static func objectOrNothing(of request: Request) throws(BodyDefect) -> JSONObject {
        guard request.body.isEmpty else { return try object(of: request) }
        if request.headers.count("content-type") > 0 { try check(request, mediaType: json) }
        return JSONObject()
    }

    package static func check(_ request: Request, mediaType: String, upTo bound: BodyBound = .short) throws(BodyDefect)
    {
        guard hasMediaType(mediaType, request) else { throw .mediaType(expected: mediaType) }
        guard bound.admits(request.body) else { throw .tooLarge(bound) }
    }

    /// As `checkHead`, for calls whose body may be absent: checks type and size of an announced body.
    package static func checkHeadIfAnnounced(
        _ request: Request, mediaType: String, upTo bound: BodyBound
    ) throws(BodyDefect) {
        if request.headers.count("content-length") > 0 { try checkHead(request, mediaType: mediaType, upTo: bound) }
    }

    /// Checks the head, before the body has arrived.
    package static func checkHead(_ request: Request, mediaType: String, upTo bound: BodyBound) throws(BodyDefect) {
        guard hasMediaType(mediaType, request) else { throw .mediaType(expected: mediaType) }
        try checkLength(request, upTo: bound)
    }

    /// Checks the size that the head announces.
    package static func checkLength(_ request: Request, upTo bound: BodyBound) throws(BodyDefect) {
        if let length = request.headers["content-length"].flatMap({ Int($0) }), length > bound.bytes ?? .max {
            throw .tooLarge(bound)
        }
    }

    /// Whether the only Content-Type names the media type, regardless of other errors in the body.
    package static func isOf(mediaType: String, _ request: Request) -> Bool {
        guard request.headers.count("content-type") == 1, let value = request.headers.bytes("content-type") else {
            return false
        }
        return MediaType(value)?.name.isSameIgnoringCase(as: mediaType) ?? false
    }

    /// Whether the only Content-Type is `mediaType`, with a charset that is read as UTF-8, and the body has no content
    /// coding.
    private static func hasMediaType(_ mediaType: String, _ request: Request) -> Bool {
        guard request.headers.count("content-type") == 1, let value = request.headers.bytes("content-type"),
            request.headers.allBytes("content-encoding").allSatisfy({ $0.isSameIgnoringCase(as: "identity") })
        else { return false }
        if value.isSame(as: mediaType) { return true }
        guard let found = MediaType(value), found.name.isSameIgnoringCase(as: mediaType) else { return false }
        return found.charsets.allSatisfy { charset in
            // The labels of the Encoding Standard.
            if ["utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii"].contains(where: { charset.isSameIgnoringCase(as: $0) }
            ) {
                return true
            }
            // Old HTTP libraries set it by default. ASCII text is the same in both.
            return charset.isSameIgnoringCase(as: "iso-8859-1") && request.body.allSatisfy { $0 < 0x80 }
        }
    }
}
