import Foundation

/// HTTP/1.1 as bytes, for connections that have no HTTP of their own (RFC 9112).
package enum HTTPText {
    private static let mostBytes = 1 << 20

    package struct Malformed: Error {
        package init() {}
    }

    /// A request without a body, after which the server closes the connection.
    package static func request(_ request: HTTPRequest) -> Data? {
        guard let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true),
            let host = components.percentEncodedHost
        else { return nil }
        let path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
        let query = components.percentEncodedQuery.map { "?" + $0 } ?? ""
        let port = components.port.map { ":\($0)" } ?? ""
        let headers = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let lines =
            ["\(request.method) \(path)\(query) HTTP/1.1", "Host: \(host)\(port)", "Accept: application/json"]
            + headers + ["Connection: close", "", ""]
        guard lines.dropLast(2).allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }) else { return nil }
        return Data(lines.joined(separator: "\r\n").utf8)
    }

    /// Reads the bytes that have arrived so far as a response.
    ///
    /// - Parameter isAll: the server has closed the connection.
    /// - Returns: `nil` if more has to come.
    /// - Throws: `Malformed`, for what is no response, was cut off, or is too long.
    package static func response(_ bytes: Data, isAll: Bool) throws -> HTTPResponse? {
        let bytes = [UInt8](bytes)
        guard bytes.count <= mostBytes else { throw Malformed() }
        guard let end = find([13, 10, 13, 10], in: bytes, from: 0) else {
            if isAll { throw Malformed() }
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...599).contains(status)
        else { throw Malformed() }
        let rest = Array(bytes[(end + 4)...])
        // Interim responses come before the one that counts (RFC 9110 section 15.2).
        if status < 200 { return try response(Data(rest), isAll: isAll) }
        let headers = try headers(lines.dropFirst())
        let response = HTTPResponse(status: status, headers: headers)
        guard status != 204 && status != 304 else { return response }
        guard let body = try body(rest, of: response, isAll: isAll) else {
            if isAll { throw Malformed() }
            return nil
        }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    private static func headers(_ lines: ArraySlice<String>) throws -> [String: String] {
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { throw Malformed() }
            let name = line[..<colon].lowercased()
            headers[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return headers
    }

    private static func body(_ bytes: [UInt8], of response: HTTPResponse, isAll: Bool) throws -> Data? {
        if let coding = response.header("Transfer-Encoding") {
            guard coding.lowercased() == "chunked" else { throw Malformed() }
            return try chunks(bytes)
        }
        guard let text = response.header("Content-Length") else { return isAll ? Data(bytes) : nil }
        guard let length = Int(text), (0...mostBytes).contains(length) else { throw Malformed() }
        return bytes.count >= length ? Data(bytes.prefix(length)) : nil
    }

    /// The content of a chunked body (RFC 9112 section 7.1). `nil` if more has to come.
    private static func chunks(_ bytes: [UInt8]) throws -> Data? {
        var content = Data()
        var start = 0
        while let end = find([13, 10], in: bytes, from: start) {
            let size = String(decoding: bytes[start..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let length = Int(size.trimmingCharacters(in: .whitespaces), radix: 16),
                (0...mostBytes).contains(length)
            else { throw Malformed() }
            if length == 0 { return content }
            let next = end + 2 + length
            guard bytes.count >= next + 2 else { return nil }
            guard bytes[next] == 13, bytes[next + 1] == 10 else { throw Malformed() }
            content.append(contentsOf: bytes[(end + 2)..<next])
            start = next + 2
        }
        return nil
    }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + wanted.count else { return nil }
        return (start...(bytes.count - wanted.count)).first { index in
            bytes[index] == wanted[0] && bytes[index..<(index + wanted.count)].elementsEqual(wanted)
        }
    }
}
