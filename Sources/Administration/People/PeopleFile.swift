internal import Possession

/// A file of people, read row by row.
struct PeopleFile {
    enum Format: String, CaseIterable, Sendable { case csv, jsonl }

    /// Why a file cannot be read, or cannot be read further.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case unreadable(reason: String)
        /// The table's first record is wrong.
        case header(String)

        var description: String {
            switch self {
            case .unreadable(let reason): "cannot be read: \(reason)"
            case .header(let reason): "header: \(reason)"
            }
        }
    }

    struct Row {
        let line: Int
        let fields: Result<PersonFields, RowMistakes>
    }

    /// The longest row, in bytes: a line, or a record of several lines.
    static let maxRowBytes = 64 * 1024

    private enum Reader {
        case csv(CSVReader, PeopleColumns)
        case jsonLines(JSONLinesReader)
    }

    private var reader: Reader

    init(_ bytes: FileBytes, _ format: Format) throws(Fault) {
        var bytes = bytes
        do {
            try bytes.skipByteOrderMark()
            switch format {
            case .jsonl: reader = .jsonLines(JSONLinesReader(bytes, maxLineBytes: Self.maxRowBytes))
            case .csv:
                var table = CSVReader(bytes, maxRecordBytes: Self.maxRowBytes)
                guard let header = try table.next() else { throw Fault.header("there is none") }
                reader = .csv(table, try Self.columns(header))
            }
        } catch let fault as FileBytes.ReadFault {
            throw .unreadable(reason: fault.reason)
        } catch let fault as Fault {
            throw fault
        } catch { throw .unreadable(reason: "\(error)") }
    }

    private static func columns(_ header: CSVReader.Record) throws(Fault) -> PeopleColumns {
        switch header.fields {
        case .failure(let mistakes): throw .header(mistakes.all.first?.reason ?? "")
        case .success(let names):
            do { return try PeopleColumns(names) } catch { throw .header(error.description) }
        }
    }

    /// The next row; `nil`: the end of the file.
    mutating func next() throws(Fault) -> Row? {
        do throws(FileBytes.ReadFault) {
            switch reader {
            case .csv(var table, let columns):
                let record = try table.next()
                reader = .csv(table, columns)
                return record.map { Row(line: $0.line, fields: $0.fields.flatMap(columns.person)) }
            case .jsonLines(var lines):
                let next = try lines.next()
                reader = .jsonLines(lines)
                return next.map { Row(line: $0.line, fields: $0.object.map { PersonFields($0) }) }
            }
        } catch { throw .unreadable(reason: error.reason) }
    }
}
