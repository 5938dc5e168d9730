internal import Text

/// Reads a request line and its header section octet by octet (RFC 9112 sections 3 and 5), strictly.
///
/// It copies accepted octets once into `bytes` and records where the parts are. It reads every octet exactly once, so
/// the verdict does not depend on how the input is split. `RequestHead` interprets the parts.
///
///     start -> method -> target -> version -> line end -> ( field name -> value -> line end )* -> end
struct HeadScanner {
    /// The limits that apply here, as a small struct, because they are passed with every piece of input.
    struct HeadLimits {
        let maxTargetBytes: Int
        let maxHeaderBytes: Int
        let maxHeaderFields: Int

        init(_ limits: Limits) {
            maxTargetBytes = limits.maxTargetBytes
            maxHeaderBytes = limits.maxHeaderBytes
            maxHeaderFields = limits.maxHeaderFields
        }
    }

    private enum State {
        case start, blankLineEnd, method, target, version, requestLineEnd
        case fieldStart, fieldName, valueStart, value, fieldEnd, headEnd, complete
    }

    enum Verdict: Equatable {
        /// All input is read; the head is incomplete.
        case incomplete
        case complete
        case failed(HTTPFailure)
    }

    private(set) var bytes: [UInt8] = []
    private(set) var fields: [Headers.Field] = []
    private(set) var method = 0..<0
    private(set) var target = 0..<0
    private(set) var majorVersion: UInt8 = 0
    private(set) var minorVersion: UInt8 = 0

    private var state = State.start
    private var hasSkippedBlankLine = false
    /// Where the current part began, and where its last non-blank octet ended.
    private var partStart = 0
    private var valueEnd = 0
    private var name = 0..<0
    private var sectionStart = 0

    /// Longer than every known method; a longer one is unknown (HTTP-19).
    private static let maxMethodBytes = 32

    /// True until the first octet of the request line.
    var isPristine: Bool { state == .start }

    /// Reads octets from `input[next]` on and moves `next` past them.
    mutating func scan(_ input: Span<UInt8>, from next: inout Int, limits: HeadLimits) -> Verdict {
        // The empty line before a request is not part of the head.
        while state == .start || state == .blankLineEnd {
            guard next < input.count else { return .incomplete }
            if let failure = skipBlankLine(input[next]) { return .failed(failure) }
            if state != .method { next += 1 }
        }
        let first = next
        let verdict = scanHead(input, &next, limits)
        append(input, first..<next)
        return verdict
    }

    private mutating func append(_ input: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let taken = input.extracting(range)
        taken.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// One empty line before the request line is allowed (RFC 9112 section 2.2).
    private mutating func skipBlankLine(_ octet: UInt8) -> HTTPFailure? {
        switch (state, octet) {
        case (.start, Octets.carriageReturn) where !hasSkippedBlankLine:
            hasSkippedBlankLine = true
            state = .blankLineEnd
        case (.blankLineEnd, Octets.lineFeed): state = .start
        case (.start, _) where octet.isTokenByte: state = .method
        default: return .badRequest(reason: "malformed request line")
        }
        return nil
    }

    private mutating func scanHead(_ input: Span<UInt8>, _ next: inout Int, _ limits: HeadLimits) -> Verdict {
        // Positions in `bytes` are positions in `input` plus `base`.
        let base = bytes.count - next
        while next < input.count {
            let verdict: Verdict
            switch state {
            case .method, .target, .version, .requestLineEnd:
                verdict = scanRequestLine(input, &next, base, limits)
            default:
                // The limit counts received octets, so that a field without an end is also refused (HTTP-20).
                let end = min(input.count, sectionStart + limits.maxHeaderBytes - base)
                guard next < end else { return .failed(.headerFieldsTooLarge) }
                verdict = scanFields(input, &next, end, base, limits)
            }
            guard case .incomplete = verdict else { return verdict }
        }
        return .incomplete
    }

    private mutating func scanRequestLine(
        _ input: Span<UInt8>, _ next: inout Int, _ base: Int, _ limits: HeadLimits
    ) -> Verdict {
        switch state {
        case .method:
            let end = min(input.count, HeadScanner.maxMethodBytes - base)
            while next < end, input[next].isTokenByte { next += 1 }
            guard next < input.count else { return .incomplete }
            guard next < end else { return .failed(.notImplemented) }
            guard input[next] == Octets.space else { return .failed(.badRequest(reason: "malformed request line")) }
            method = 0..<(next + base)
            next += 1
            partStart = next + base
            state = .target
        case .target:
            let end = min(input.count, partStart + limits.maxTargetBytes - base)
            while next < end, Octets.isTarget(input[next]) { next += 1 }
            guard next < input.count else { return .incomplete }
            // Reads one octet beyond the longest target: the blank after it.
            if Octets.isTarget(input[next]) { return .failed(.uriTooLong) }
            guard input[next] == Octets.space, next + base > partStart else {
                return .failed(.badRequest(reason: "malformed request target"))
            }
            target = partStart..<(next + base)
            next += 1
            partStart = next + base
            state = .version
        case .version:
            return scanVersion(input, &next, base)
        default:
            guard input[next] == Octets.lineFeed else { return .failed(.badRequest(reason: "malformed line end")) }
            guard majorVersion == 1 else { return .failed(.versionNotSupported) }
            next += 1
            sectionStart = next + base
            state = .fieldStart
        }
        return .incomplete
    }

    /// `HTTP/` in upper case, a digit, a dot, a digit and CR (RFC 9112 section 2.3).
    private mutating func scanVersion(_ input: Span<UInt8>, _ next: inout Int, _ base: Int) -> Verdict {
        while next < input.count {
            let octet = input[next]
            let offset = next + base - partStart
            next += 1
            let isRight: Bool
            switch offset {
            case 0: isRight = octet == UInt8(ascii: "H")
            case 1, 2: isRight = octet == UInt8(ascii: "T")
            case 3: isRight = octet == UInt8(ascii: "P")
            case 4: isRight = octet == UInt8(ascii: "/")
            case 5:
                isRight = Octets.isDigit(octet)
                majorVersion = octet &- UInt8(ascii: "0")
            case 6: isRight = octet == UInt8(ascii: ".")
            case 7:
                isRight = Octets.isDigit(octet)
                minorVersion = octet &- UInt8(ascii: "0")
            default:
                isRight = octet == Octets.carriageReturn
                state = .requestLineEnd
            }
            guard isRight else { return .failed(.badRequest(reason: "malformed HTTP version")) }
            if state == .requestLineEnd { break }
        }
        return .incomplete
    }

    private mutating func scanFields(
        _ input: Span<UInt8>, _ next: inout Int, _ end: Int, _ base: Int, _ limits: HeadLimits
    ) -> Verdict {
        while next < end {
            let octet = input[next]
            switch state {
            case .fieldStart:
                if octet == Octets.carriageReturn {
                    state = .headEnd
                } else {
                    // A blank here is obs-fold, or a blank before the first field: both are refused (HTTP-08).
                    guard octet.isTokenByte else { return .failed(.badRequest(reason: "malformed field name")) }
                    guard fields.count < limits.maxHeaderFields else { return .failed(.headerFieldsTooLarge) }
                    partStart = next + base
                    state = .fieldName
                }
                next += 1
            case .fieldName:
                while next < end, input[next].isTokenByte { next += 1 }
                guard next < end else { return .incomplete }
                guard input[next] == UInt8(ascii: ":") else {
                    return .failed(.badRequest(reason: "malformed field name"))
                }
                name = partStart..<(next + base)
                next += 1
                state = .valueStart
            case .valueStart:
                while next < end, Octets.isBlank(input[next]) { next += 1 }
                guard next < end else { return .incomplete }
                partStart = next + base
                valueEnd = partStart
                state = .value
            case .value:
                scanValue(input, &next, end, base)
                guard next < end else { return .incomplete }
                guard input[next] == Octets.carriageReturn else {
                    return .failed(.badRequest(reason: "control character in a field"))
                }
                next += 1
                state = .fieldEnd
            case .fieldEnd:
                guard octet == Octets.lineFeed else { return .failed(.badRequest(reason: "malformed line end")) }
                endField()
                next += 1
                state = .fieldStart
            default:
                guard octet == Octets.lineFeed else { return .failed(.badRequest(reason: "malformed line end")) }
                next += 1
                state = .complete
                return .complete
            }
        }
        return .incomplete
    }

    /// Trailing blanks are not part of the value.
    private mutating func scanValue(_ input: Span<UInt8>, _ next: inout Int, _ end: Int, _ base: Int) {
        let start = next
        next += Octets.fieldValuePrefix(of: input, from: next, to: end)
        var visible = next
        while visible > start, Octets.isBlank(input[visible - 1]) { visible -= 1 }
        if visible > start { valueEnd = visible + base }
    }

    private mutating func endField() {
        if fields.isEmpty { fields.reserveCapacity(12) }
        fields.append(
            Headers.Field(
                nameStart: UInt32(name.lowerBound), nameEnd: UInt32(name.upperBound),
                valueStart: UInt32(partStart), valueEnd: UInt32(valueEnd)))
    }
}
