internal import Text

/// Assembles a response from the parts that libcurl reads, and enforces the limits and RFC 9112.
///
/// libcurl uses the last of two lengths, and joins continuation lines. A response that another reader could understand
/// differently is refused here.
struct OutboundAnswer {
    private enum Part { case statusLine, fields, body }

    private(set) var response = OutboundResponse(status: 0)
    /// Why the response is refused.
    private(set) var defect: OutboundFault?
    private var part = Part.statusLine
    private var headBytesLeft: Int
    private var hasLength = false
    private let maxBodyBytes: Int

    init(maxHeadBytes: Int, maxBodyBytes: Int) {
        headBytesLeft = maxHeadBytes
        self.maxBodyBytes = maxBodyBytes
    }

    /// Whether the final head is complete, not only an interim one (RFC 9110 section 15.2).
    var hasHead: Bool { part == .body }

    /// Takes one line of a head, including its end. Lines after the body are trailers, which are ignored.
    ///
    /// - Returns: `false` when the response is refused: `defect` has the reason.
    mutating func takeLine(_ line: some Collection<UInt8>) -> Bool {
        headBytesLeft -= line.count
        guard headBytesLeft >= 0 else { return refuse(.tooLarge) }
        guard part != .body else { return true }
        let line = withoutEnd(Array(line))
        if part == .statusLine {
            guard let status = Self.status(line) else { return refuse(.notHTTP) }
            response = OutboundResponse(status: status)
            hasLength = false
            part = .fields
        } else if line.isEmpty {
            part = (100..<200).contains(response.status) ? .statusLine : .body
        } else {
            guard takeField(line) else { return refuse(.notHTTP) }
        }
        return true
    }

    /// Takes a part of the body.
    ///
    /// - Returns: as `takeLine`.
    mutating func takeBody(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= maxBodyBytes - response.body.count else { return refuse(.tooLarge) }
        response.body.append(contentsOf: bytes)
        return true
    }

    private mutating func refuse(_ fault: OutboundFault) -> Bool {
        defect = fault
        return false
    }

    private func withoutEnd(_ line: [UInt8]) -> ArraySlice<UInt8> {
        var line = line[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    /// `HTTP/1.1 200 OK`, `HTTP/1.0 200`.
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        guard line.starts(with: "HTTP/1.1 ".utf8) || line.starts(with: "HTTP/1.0 ".utf8) else { return nil }
        let rest = line.dropFirst(9)
        let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard digits.count == 3, digits.endIndex == rest.endIndex || rest[digits.endIndex] == 0x20 else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return status >= 100 ? status : nil
    }

    /// `name: value`. A continuation line is not allowed in a message (RFC 9112 section 5.2).
    private mutating func takeField(_ line: ArraySlice<UInt8>) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0.isTokenByte }), line.allSatisfy(HTTPText.isTextByte)
        else { return false }
        let name = line[..<colon]
        var value = line[(colon + 1)...].drop(while: HTTPText.isBlank)
        while let last = value.last, HTTPText.isBlank(last) { value.removeLast() }
        if name.count == 14, name.map({ $0 | 0x20 }).elementsEqual("content-length".utf8) {
            guard !hasLength, !value.isEmpty, value.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return false }
            hasLength = true
        }
        response.headers.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        return true
    }
}

extension OutboundFault {
    static var notHTTP: OutboundFault { .failed(reason: "the answer is not HTTP") }
}
