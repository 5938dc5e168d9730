internal import HTTPServer
internal import StrictJSON

/// Why a body could not be read at all; each surface has its own answer for it.
enum BodyDefect: Error, Sendable, Equatable {
    case mediaType(expected: String)
    case tooLarge(maxBytes: Int)
    case empty
    case malformed(reason: String)

    var message: String {
        switch self {
        case .mediaType(let expected): "the Content-Type must be \(expected), in UTF-8, and the body not encoded"
        case .tooLarge(let maxBytes): "the body is larger than \(maxBytes) bytes"
        case .empty: "the body is empty; a JSON object is due"
        case .malformed(let reason): "the body is not acceptable: \(reason)"
        }
    }
}

/// Bodies of the calls that are about one person or one session.
enum RequestBody {
    /// In bytes; one of exactly this size passes (contract section 8).
    static let maxBytes = 4096
    static let json = "application/json"
    static let form = "application/x-www-form-urlencoded"

    /// The JSON object in the body (API-07, API-08).
    static func object(of request: Request, maxBytes: Int = maxBytes) throws(BodyDefect) -> JSONObject {
        if request.body.isEmpty, request.headers.count("content-type") == 0 { throw .empty }
        try check(request, mediaType: json, maxBytes: maxBytes)
        do { return try JSONObject.parse(request.body) } catch {
            throw .malformed(reason: "\(error.reason), at byte \(error.offset)")
        }
    }

    /// As `object`, for calls whose members are all optional: without a body they mean `{}`. Clients that set the
    /// content type of every call set it without a body as well.
    static func objectOrNothing(of request: Request) throws(BodyDefect) -> JSONObject {
        guard request.body.isEmpty else { return try object(of: request) }
        if request.headers.count("content-type") > 0 { try check(request, mediaType: json) }
        return JSONObject()
    }

    static func check(_ request: Request, mediaType: String, maxBytes: Int = maxBytes) throws(BodyDefect) {
        guard hasMediaType(mediaType, request) else { throw .mediaType(expected: mediaType) }
        guard request.body.count <= maxBytes else { throw .tooLarge(maxBytes: maxBytes) }
    }

    /// As `checkHead`, for calls whose body may be absent: type and size of one that is announced.
    static func checkHeadIfAnnounced(_ request: Request, mediaType: String) throws(BodyDefect) {
        if request.headers.count("content-length") > 0 { try checkHead(request, mediaType: mediaType) }
    }

    /// What the head alone tells, before the body has come.
    static func checkHead(_ request: Request, mediaType: String, maxBytes: Int = maxBytes) throws(BodyDefect) {
        guard hasMediaType(mediaType, request) else { throw .mediaType(expected: mediaType) }
        if let length = request.headers["content-length"].flatMap({ Int($0) }), length > maxBytes {
            throw .tooLarge(maxBytes: maxBytes)
        }
    }

    private static func hasMediaType(_ mediaType: String, _ request: Request) -> Bool {
        guard request.headers.count("content-type") == 1, let value = request.headers.bytes("content-type"),
            request.headers.count("content-encoding") == 0
        else { return false }
        return value.elementsEqual(mediaType.utf8) || isUTF8(mediaType, String(decoding: value, as: UTF8.self))
    }

    /// `type/subtype` and at most `charset=utf-8` (RFC 9110 section 8.3.1), ignoring case.
    private static func isUTF8(_ mediaType: String, _ value: String) -> Bool {
        let parts = value.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard parts.first == mediaType else { return false }
        return parts.count == 1 || parts.count == 2 && ["charset=utf-8", "charset=\"utf-8\""].contains(parts[1])
    }

    private static func trimmed(_ text: Substring) -> String {
        let blanks: Set<Character> = [" ", "\t"]
        guard let first = text.firstIndex(where: { !blanks.contains($0) }),
            let last = text.lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return String(text[first...last])
    }
}
