internal import Text

/// The header fields that decide how a message is read, collected in one pass.
struct FramingFields {
    private var host: Range<Int>?
    private var contentLength: Range<Int>?
    private var transferEncoding: Range<Int>?
    private var hasAuthorization = false
    private(set) var hasClose = false
    private(set) var hasKeepAlive = false
    private(set) var expectation = RequestHead.Expectation.none
    private(set) var requestID: String?

    init(_ fields: [Headers.Field], in bytes: [UInt8]) throws(HTTPFailure) {
        for field in fields { try take(field, bytes) }
    }

    /// Comparing the length first rules out most names at almost no cost.
    private mutating func take(_ field: Headers.Field, _ bytes: [UInt8]) throws(HTTPFailure) {
        func isNamed(_ name: String) -> Bool { Octets.equalIgnoringCase(bytes[field.name], name) }
        let value = field.value
        switch field.name.count {
        case 4 where isNamed("host"):
            guard host == nil else { throw .badRequest(reason: "Host more than once") }
            host = value
        case 6 where isNamed("expect"):
            takeExpectation(bytes[value])
        case 10 where isNamed("connection"):
            for option in bytes[value].split(separator: UInt8(ascii: ",")) {
                let option = FramingFields.trimmed(option)
                if Octets.equalIgnoringCase(option, "close") { hasClose = true }
                if Octets.equalIgnoringCase(option, "keep-alive") { hasKeepAlive = true }
            }
        case 12 where isNamed("x-request-id"):
            if requestID == nil, RequestIDs.isAcceptable(bytes[value]) {
                requestID = String(decoding: bytes[value], as: UTF8.self)
            }
        case 13 where isNamed("authorization"):
            guard !hasAuthorization else { throw .badRequest(reason: "Authorization more than once") }
            hasAuthorization = true
        case 14 where isNamed("content-length"):
            guard contentLength == nil else { throw .badRequest(reason: "Content-Length more than once") }
            contentLength = value
        case 17 where isNamed("transfer-encoding"):
            guard transferEncoding == nil else { throw .badRequest(reason: "Transfer-Encoding more than once") }
            transferEncoding = value
        default: break
        }
    }

    private mutating func takeExpectation(_ value: ArraySlice<UInt8>) {
        if Octets.equalIgnoringCase(value, "100-continue") {
            if expectation == .none { expectation = .proceed }
        } else {
            expectation = .unknown
        }
    }

    /// RFC 9112 section 6.3; where it leaves a choice, the stricter one (HTTP-12 to HTTP-14).
    func framing(in bytes: [UInt8], isHTTP10: Bool) throws(HTTPFailure) -> BodyFraming {
        if let transferEncoding {
            guard contentLength == nil else { throw .badRequest(reason: "Content-Length beside Transfer-Encoding") }
            guard !isHTTP10 else { throw .badRequest(reason: "Transfer-Encoding in HTTP/1.0") }
            try FramingFields.checkTransferEncoding(bytes[transferEncoding])
            return .chunked
        }
        guard let contentLength else { return .none }
        let digits = bytes[contentLength]
        guard !digits.isEmpty, digits.allSatisfy(Octets.isDigit) else {
            throw .badRequest(reason: "malformed Content-Length")
        }
        var length = 0
        for digit in digits {
            let (shifted, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { throw .contentTooLarge }
            length = sum
        }
        return length == 0 ? .none : .length(length)
    }

    private static func checkTransferEncoding(_ value: ArraySlice<UInt8>) throws(HTTPFailure) {
        if Octets.equalIgnoringCase(value, "chunked") { return }
        let codings = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(trimmed)
        let areTokens = codings.allSatisfy { !$0.isEmpty && $0.allSatisfy({ $0.isTokenByte }) }
        let chunkedCount = codings.count { Octets.equalIgnoringCase($0, "chunked") }
        // Unknown codings before a final `chunked` are valid framing, but this server does not support them (RFC 9112
        // section 6.1).
        if areTokens, chunkedCount == 1, let last = codings.last, Octets.equalIgnoringCase(last, "chunked") {
            throw .notImplemented
        }
        throw .badRequest(reason: "malformed Transfer-Encoding")
    }

    /// Exactly one valid `Host` in HTTP/1.1, even beside an absolute target, which then takes precedence (RFC 9112
    /// section 3.2).
    func checkedHost(
        in bytes: [UInt8], isHTTP10: Bool, overriddenBy authority: String?
    ) throws(HTTPFailure) -> String? {
        guard let host else {
            guard isHTTP10 else { throw .badRequest(reason: "no Host") }
            return authority
        }
        if host.isEmpty, isHTTP10 { return authority }
        guard let checked = Authority.canonical(bytes[host]) else { throw .badRequest(reason: "malformed Host") }
        return authority ?? checked
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !Octets.isBlank($0) }),
            let last = bytes.lastIndex(where: { !Octets.isBlank($0) })
        else { return [] }
        return bytes[first...last]
    }
}
