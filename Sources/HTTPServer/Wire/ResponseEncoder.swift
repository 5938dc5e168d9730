internal import Text

/// Writes responses as HTTP/1.1. Belongs to one loop, and uses its date.
struct ResponseEncoder {
    /// Properties of the request that the head of its response depends on.
    struct Context {
        /// A response to HEAD has every field and no content (RFC 9110 section 9.3.2).
        var isHead = false
        var closes = false
        /// An HTTP/1.0 client must be told that the connection stays open (RFC 9112 section 9.3), and does not know
        /// chunks.
        var isHTTP10 = false
        var requestID = ""
    }

    /// Lines that every answer has.
    private let commonLines: [UInt8]
    private var date = HTTPDate()
    /// Status line and date as last written: most answers within a second have the same.
    private var opening: [UInt8] = []
    private var openingStatus = 0

    /// - Parameter fields: added to every answer.
    init(fields: [(name: String, value: String)] = []) {
        commonLines = fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }

    static let proceed = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
        428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
    ]

    /// Appends the response to `output`. Returns false and appends nothing if it cannot be written: a status outside
    /// 200-599, a field name that is not a token, a CR, LF or other control character in a value (HTTP-29), or a stream
    /// without a task to write it.
    mutating func encode(_ response: Response, _ context: Context, into output: inout [UInt8]) -> Bool {
        guard response.stream == nil || context.isHead, encodeHead(of: response, context, into: &output) else {
            return false
        }
        if response.hasContent, !context.isHead { output.append(contentsOf: response.body) }
        return true
    }

    /// Appends everything before the content. Returns false and appends nothing, as `encode` does, and for a stream
    /// whose status has no content.
    mutating func encodeHead(of response: Response, _ context: Context, into output: inout [UInt8]) -> Bool {
        guard (200...599).contains(response.status), response.hasContent || response.stream == nil else { return false }
        let start = output.count
        appendOpening(response.status, &output)
        guard ResponseEncoder.appendFields(response, &output) else {
            output.removeLast(output.count - start)
            return false
        }
        if !commonLines.isEmpty { output.append(contentsOf: commonLines) }
        output.append("X-Request-Id: ")
        output.append(contentsOf: context.requestID.utf8)
        if context.closes {
            output.append("\r\nConnection: close")
        } else if context.isHTTP10 {
            output.append("\r\nConnection: keep-alive")
        }
        if response.stream != nil {
            // Without chunks, the end of the connection is the end of the content (RFC 9112 section 6.3).
            if !context.isHTTP10 { output.append("\r\nTransfer-Encoding: chunked") }
        } else if response.hasContent {
            output.append("\r\nContent-Length: ")
            ResponseEncoder.append(response.body.count, &output)
        }
        output.append("\r\n\r\n")
        return true
    }

    /// The final chunk (RFC 9112 section 7.1).
    static let lastChunk = Array("0\r\n\r\n".utf8)

    /// Appends one chunk. Appends nothing for zero bytes, because an empty chunk would be the final one.
    static func appendChunk(_ bytes: ArraySlice<UInt8>, into output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        output.append("\r\n")
        output.append(contentsOf: bytes)
        output.append("\r\n")
    }

    private mutating func appendOpening(_ status: Int, _ output: inout [UInt8]) {
        if date.refresh() || openingStatus != status {
            openingStatus = status
            opening = Array(
                "HTTP/1.1 \(status) \(ResponseEncoder.reasons[status] ?? "")\r\nDate: \(date.text)\r\n".utf8)
        }
        output.append(contentsOf: opening)
    }

    /// Returns false at a field that cannot be written, after appending the fields before it.
    private static func appendFields(_ response: Response, _ output: inout [UInt8]) -> Bool {
        var setsCaching = false
        var setsSniffing = false
        for (name, value) in response.headers {
            let name = name.utf8
            guard !name.isEmpty else { return false }
            switch name.count {
            case 4, 10, 12, 14, 17: if isOwnField(name) { continue }
            case 13: if Octets.equalIgnoringCase(name, "cache-control") { setsCaching = true }
            case 22: if Octets.equalIgnoringCase(name, "x-content-type-options") { setsSniffing = true }
            default: break
            }
            let start = output.count
            output.append(contentsOf: name)
            guard output[start...].allSatisfy({ $0.isTokenByte }) else { return false }
            output.append(": ")
            let valueStart = output.count
            output.append(contentsOf: value.utf8)
            guard output[valueStart...].allSatisfy(Octets.isFieldValue) else { return false }
            output.append("\r\n")
        }
        if !setsCaching { output.append("Cache-Control: no-store\r\n") }
        if !setsSniffing { output.append("X-Content-Type-Options: nosniff\r\n") }
        return true
    }

    private static func isOwnField(_ name: String.UTF8View) -> Bool {
        switch name.count {
        case 4: Octets.equalIgnoringCase(name, "date")
        case 10: Octets.equalIgnoringCase(name, "connection")
        case 12: Octets.equalIgnoringCase(name, "x-request-id")
        case 14: Octets.equalIgnoringCase(name, "content-length")
        case 17: Octets.equalIgnoringCase(name, "transfer-encoding")
        default: false
        }
    }

    private static func append(_ number: Int, _ output: inout [UInt8]) {
        guard number >= 10 else {
            output.append(UInt8(ascii: "0") + UInt8(number))
            return
        }
        append(number / 10, &output)
        output.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

extension [UInt8] {
    /// Appends a string literal. A static array would be retained and released by every loop for each answer, and the
    /// loops would contend for its reference count.
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
