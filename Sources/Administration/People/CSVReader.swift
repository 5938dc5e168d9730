/// Reads a table by RFC 4180: fields between commas, quoted if they contain a comma, a quote (doubled) or a line end.
/// Lines end in CRLF or LF. After a broken record, reading continues at the next line.
struct CSVReader {
    struct Record: Equatable {
        /// The line where the record begins. A quoted field may contain further lines.
        let line: Int
        let fields: Result<[String], RowMistakes>
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private var bytes: FileBytes
    private let maxRecordBytes: Int

    init(_ bytes: FileBytes, maxRecordBytes: Int) {
        self.bytes = bytes
        self.maxRecordBytes = maxRecordBytes
    }

    /// The next record that is not an empty line; `nil`: the end of the file.
    mutating func next() throws(FileBytes.ReadFault) -> Record? {
        while true {
            let line = bytes.line
            guard try bytes.peek() != nil else { return nil }
            let fields = try record()
            if case .success([""]) = fields { continue }
            return Record(line: line, fields: fields)
        }
    }

    private mutating func record() throws(FileBytes.ReadFault) -> Result<[String], RowMistakes> {
        var fields: [String] = []
        var size = 0
        var isLast = false
        while !isLast {
            switch try field(&size, &isLast) {
            case .success(let field): fields.append(field)
            case .failure(let mistake): return .failure(mistake)
            }
        }
        return .success(fields)
    }

    /// Reads one field, and the comma or line end after it.
    private mutating func field(
        _ size: inout Int, _ isLast: inout Bool
    ) throws(FileBytes.ReadFault) -> Result<String, RowMistakes> {
        var content: [UInt8] = []
        let isQuoted = try bytes.peek() == Self.quote
        if isQuoted, let mistake = try quoted(into: &content, &size) { return .failure(mistake) }
        while let byte = try bytes.next() {
            switch byte {
            case Self.comma:
                guard let text = String(validating: content, as: UTF8.self) else { return try refuse("is not UTF-8") }
                return .success(text)
            case Self.lineFeed:
                isLast = true
                return Self.last(content)
            case Self.carriageReturn:
                let following = try bytes.peek()
                if following == nil || following == Self.lineFeed { continue }
                return try refuse("has a carriage return outside of quotes")
            case Self.quote: return try refuse("has a quote in a field that is not quoted")
            default:
                if isQuoted { return try refuse("has text behind a closing quote") }
                size += 1
                guard size <= maxRecordBytes else { return try refuse("is longer than \(maxRecordBytes) bytes") }
                content.append(byte)
            }
        }
        isLast = true
        return Self.last(content)
    }

    /// Reads from the opening to the closing quote.
    private mutating func quoted(
        into content: inout [UInt8], _ size: inout Int
    ) throws(FileBytes.ReadFault) -> RowMistakes? {
        _ = try bytes.next()
        while let byte = try bytes.next() {
            if byte == Self.quote {
                guard try bytes.peek() == Self.quote else { return nil }
                _ = try bytes.next()
            }
            size += 1
            guard size <= maxRecordBytes else {
                if byte != Self.lineFeed { try bytes.skipLine() }
                return RowMistakes(row: "is longer than \(maxRecordBytes) bytes, or a quote in it is not closed")
            }
            content.append(byte)
        }
        return RowMistakes(row: "has a quote that is not closed")
    }

    private mutating func refuse(_ reason: String) throws(FileBytes.ReadFault) -> Result<String, RowMistakes> {
        try bytes.skipLine()
        return .failure(RowMistakes(row: reason))
    }

    private static func last(_ content: [UInt8]) -> Result<String, RowMistakes> {
        guard let text = String(validating: content, as: UTF8.self) else {
            return .failure(RowMistakes(row: "is not UTF-8"))
        }
        return .success(text)
    }
}
