/// Writes responses as HTTP/1.1. Belongs to one loop, which shares its date.
struct ResponseEncoder {
    /// What of the request the head of its response depends on.
    struct Context {
        /// A response to HEAD has every field and no content (RFC 9110 section 9.3.2).
        var isHead = false
        var closes = false
        /// An HTTP/1.0 client is told that the connection stays (RFC 9112 section 9.3).
        var confirmsKeepAlive = false
        var requestID = ""
    }

    private var date = HTTPDate()

    static let proceed = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static let statusLines: [[UInt8]] = (0..<600).map { code in
        code < 100 ? [] : Array("HTTP/1.1 \(code) \(reasons[code] ?? "")\r\n".utf8)
    }
    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        417: "Expectation Failed", 422: "Unprocessable Content", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
    ]

    private static let contentLength = Array("Content-Length: ".utf8)
    private static let requestID = Array("X-Request-Id: ".utf8)
    private static let close = Array("Connection: close\r\n".utf8)
    private static let keepAlive = Array("Connection: keep-alive\r\n".utf8)
    private static let defaultCaching = Array("Cache-Control: no-store\r\n".utf8)
    private static let noSniffing = Array("X-Content-Type-Options: nosniff\r\n".utf8)
    private static let lineEnd: [UInt8] = [Octets.carriageReturn, Octets.lineFeed]

    /// Appends the response to `output`. Returns false, and appends nothing, when it cannot be written: a status outside
    /// 200-599, a field name that is no token, a CR, LF or other control character in a value (HTTP-29).
    mutating func encode(_ response: Response, _ context: Context, into output: inout [UInt8]) -> Bool {
        guard (200...599).contains(response.status) else { return false }
        for (name, value) in response.headers {
            let isSound =
                !name.isEmpty && name.utf8.allSatisfy(Octets.isToken) && value.utf8.allSatisfy(Octets.isFieldValue)
            guard isSound else { return false }
        }
        date.refresh()
        output.append(contentsOf: ResponseEncoder.statusLines[response.status])
        output.append(contentsOf: date.line)
        appendFields(response, &output)
        ResponseEncoder.append(ResponseEncoder.requestID, context.requestID, &output)
        if context.closes {
            output.append(contentsOf: ResponseEncoder.close)
        } else if context.confirmsKeepAlive {
            output.append(contentsOf: ResponseEncoder.keepAlive)
        }
        // RFC 9110 sections 8.6, 15.3.5: no content and no length with 204; 304 describes what it does not send.
        let hasContent = response.status != 204 && response.status != 304
        if hasContent {
            output.append(contentsOf: ResponseEncoder.contentLength)
            ResponseEncoder.append(response.body.count, &output)
            output.append(contentsOf: ResponseEncoder.lineEnd)
        }
        output.append(contentsOf: ResponseEncoder.lineEnd)
        if hasContent, !context.isHead { output.append(contentsOf: response.body) }
        return true
    }

    private func appendFields(_ response: Response, _ output: inout [UInt8]) {
        var setsCaching = false
        var setsSniffing = false
        for (name, value) in response.headers {
            switch name.utf8.count {
            case 4, 10, 12, 14, 17: if ResponseEncoder.isOwnField(name) { continue }
            case 13: if Octets.equalIgnoringCase(name.utf8, "cache-control") { setsCaching = true }
            case 22: if Octets.equalIgnoringCase(name.utf8, "x-content-type-options") { setsSniffing = true }
            default: break
            }
            output.append(contentsOf: name.utf8)
            output.append(UInt8(ascii: ":"))
            output.append(Octets.space)
            output.append(contentsOf: value.utf8)
            output.append(contentsOf: ResponseEncoder.lineEnd)
        }
        if !setsCaching { output.append(contentsOf: ResponseEncoder.defaultCaching) }
        if !setsSniffing { output.append(contentsOf: ResponseEncoder.noSniffing) }
    }

    private static func isOwnField(_ name: String) -> Bool {
        ["date", "connection", "x-request-id", "content-length", "transfer-encoding"].contains {
            Octets.equalIgnoringCase(name.utf8, $0)
        }
    }

    private static func append(_ name: [UInt8], _ value: String, _ output: inout [UInt8]) {
        output.append(contentsOf: name)
        output.append(contentsOf: value.utf8)
        output.append(contentsOf: lineEnd)
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
