internal import Text

/// Decodes the chunked coding of a body (RFC 9112 section 7.1), octet by octet and strictly.
///
///     size -> ( ; extension )* CRLF -> data CRLF -> size ... 0 CRLF -> ( trailer field CRLF )* CRLF
///
/// Extensions are checked against their grammar and ignored. Trailer fields are checked like header fields and dropped:
/// a trailer cannot change the request (HTTP-17). A trailer field that affects framing, the connection or routing is
/// refused, because another reader of the same stream may obey it (RFC 9110 section 6.5.1).
struct ChunkedDecoder {
    private enum State {
        case sizeStart, size, beforeSemicolon, extensionNameStart, extensionName, afterExtensionName
        case extensionValueStart, extensionValue, quoted, quotedPair, afterExtensionValue, sizeLineEnd
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineEnd, end, complete
    }

    enum Verdict: Equatable {
        case incomplete
        case complete
        case failed(HTTPFailure)
    }

    private var state = State.sizeStart
    private var size = 0
    private var sizeDigits = 0
    /// Octets of data that are still allowed.
    private var room: Int
    private var extensionBytes = 0
    private var trailerBytes = 0
    /// The name of the current trailer field, as long as it can still be one of those refused.
    private var trailerName: [UInt8] = []

    private static let refusedTrailers = [
        "content-length", "transfer-encoding", "trailer", "te", "connection", "upgrade", "host",
    ]
    private static let maxRefusedName = 17

    init(maxBodyBytes: Int) {
        room = maxBodyBytes
    }

    /// Takes octets from `input[next]` on and hands data to `take`, as ranges of `input`.
    mutating func decode(
        _ input: Span<UInt8>, from next: inout Int, limits: Limits, _ take: (Range<Int>) -> Void
    ) -> Verdict {
        while next < input.count {
            if state == .data {
                let end = next + min(size, input.count - next)
                take(next..<end)
                size -= end - next
                next = end
                if size == 0 { state = .dataReturn }
                continue
            }
            if let failure = step(input[next], limits) { return .failed(failure) }
            next += 1
            if state == .complete { return .complete }
        }
        return .incomplete
    }

    private mutating func step(_ octet: UInt8, _ limits: Limits) -> HTTPFailure? {
        switch state {
        case .sizeStart, .size: return stepSize(octet, limits)
        case .beforeSemicolon, .extensionNameStart, .extensionName, .afterExtensionName, .extensionValueStart,
            .extensionValue, .quoted, .quotedPair, .afterExtensionValue:
            extensionBytes += 1
            guard extensionBytes <= limits.maxChunkExtensionBytes else {
                return .badRequest(reason: "chunk extensions too large")
            }
            return stepExtension(octet)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineEnd:
            trailerBytes += 1
            guard trailerBytes <= limits.maxTrailerBytes else { return .headerFieldsTooLarge }
            return stepTrailer(octet)
        case .sizeLineEnd: return expect(Octets.lineFeed, octet, then: size == 0 ? .trailerStart : .data)
        case .dataReturn: return expect(Octets.carriageReturn, octet, then: .dataLineFeed)
        case .dataLineFeed: return expect(Octets.lineFeed, octet, then: .sizeStart)
        case .end: return expect(Octets.lineFeed, octet, then: .complete)
        case .data, .complete: return nil
        }
    }

    private mutating func expect(_ expected: UInt8, _ octet: UInt8, then next: State) -> HTTPFailure? {
        guard octet == expected else { return .badRequest(reason: "malformed chunk") }
        if next == .data { room -= size }
        if next == .sizeStart {
            size = 0
            sizeDigits = 0
        }
        state = next
        return nil
    }

    private mutating func stepSize(_ octet: UInt8, _ limits: Limits) -> HTTPFailure? {
        if let digit = octet.hexDigitValue {
            state = .size
            // `size` never exceeds `room`, so this cannot overflow. Refused before the data arrives (HTTP-16).
            size = size * 16 + Int(digit)
            guard size <= room else { return .contentTooLarge }
            // More than 16 digits count as extension bytes, which are limited.
            sizeDigits += 1
            if sizeDigits > 16 { extensionBytes += 1 }
            return extensionBytes <= limits.maxChunkExtensionBytes ? nil : .badRequest(reason: "malformed chunk size")
        }
        guard state == .size else { return .badRequest(reason: "malformed chunk size") }
        switch octet {
        case Octets.carriageReturn: state = .sizeLineEnd
        case UInt8(ascii: ";"): state = .extensionNameStart
        case _ where Octets.isBlank(octet): state = .beforeSemicolon
        default: return .badRequest(reason: "malformed chunk size")
        }
        return nil
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`, RFC 9112 section 7.1.1.
    private mutating func stepExtension(_ octet: UInt8) -> HTTPFailure? {
        let isBlank = Octets.isBlank(octet)
        switch (state, octet) {
        case (.beforeSemicolon, _) where isBlank: break
        case (.beforeSemicolon, UInt8(ascii: ";")): state = .extensionNameStart
        case (.extensionNameStart, _) where isBlank: break
        case (.extensionNameStart, _) where octet.isTokenByte: state = .extensionName
        case (.extensionName, _) where octet.isTokenByte: break
        case (.extensionName, _) where isBlank: state = .afterExtensionName
        case (.extensionName, UInt8(ascii: ";")), (.afterExtensionName, UInt8(ascii: ";")): state = .extensionNameStart
        case (.extensionName, UInt8(ascii: "=")), (.afterExtensionName, UInt8(ascii: "=")): state = .extensionValueStart
        case (.extensionName, Octets.carriageReturn): state = .sizeLineEnd
        case (.afterExtensionName, _) where isBlank: break
        case (.extensionValueStart, _) where isBlank: break
        case (.extensionValueStart, UInt8(ascii: "\"")): state = .quoted
        case (.extensionValueStart, _) where octet.isTokenByte: state = .extensionValue
        case (.extensionValue, _) where octet.isTokenByte: break
        case (.extensionValue, _) where isBlank: state = .beforeSemicolon
        case (.extensionValue, UInt8(ascii: ";")), (.afterExtensionValue, UInt8(ascii: ";")):
            state = .extensionNameStart
        case (.extensionValue, Octets.carriageReturn), (.afterExtensionValue, Octets.carriageReturn):
            state = .sizeLineEnd
        case (.afterExtensionValue, _) where isBlank: state = .beforeSemicolon
        case (.quoted, UInt8(ascii: "\"")): state = .afterExtensionValue
        case (.quoted, UInt8(ascii: "\\")): state = .quotedPair
        case (.quoted, _) where Octets.isFieldValue(octet): break
        case (.quotedPair, _) where Octets.isFieldValue(octet): state = .quoted
        default: return .badRequest(reason: "malformed chunk extension")
        }
        return nil
    }

    private mutating func stepTrailer(_ octet: UInt8) -> HTTPFailure? {
        switch (state, octet) {
        case (.trailerStart, Octets.carriageReturn): state = .end
        case (.trailerStart, _) where octet.isTokenByte:
            state = .trailerName
            trailerName = [octet]
        case (.trailerName, _) where octet.isTokenByte:
            if trailerName.count <= ChunkedDecoder.maxRefusedName { trailerName.append(octet) }
        case (.trailerName, UInt8(ascii: ":")):
            guard !ChunkedDecoder.refusedTrailers.contains(where: { Octets.equalIgnoringCase(trailerName[...], $0) })
            else {
                return .badRequest(reason: "a framing field in the trailer")
            }
            state = .trailerValue
        case (.trailerValue, Octets.carriageReturn): state = .trailerLineEnd
        case (.trailerValue, _) where Octets.isFieldValue(octet): break
        case (.trailerLineEnd, Octets.lineFeed): state = .trailerStart
        default: return .badRequest(reason: "malformed trailer")
        }
        return nil
    }
}
