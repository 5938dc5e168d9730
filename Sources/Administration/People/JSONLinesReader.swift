internal import StrictJSON

/// Reads a file with one JSON object in each line. A line without an object does not end the reading.
struct JSONLinesReader {
    private var bytes: FileBytes
    private let maxLineBytes: Int

    init(_ bytes: FileBytes, maxLineBytes: Int) {
        self.bytes = bytes
        self.maxLineBytes = maxLineBytes
    }

    /// The next line that is not blank; `nil`: the end of the file.
    mutating func next() throws(FileBytes.ReadFault) -> (line: Int, object: Result<JSONObject, RowMistakes>)? {
        while try bytes.peek() != nil {
            let line = bytes.line
            guard let text = try bytes.nextLine(upTo: maxLineBytes) else {
                return (line, .failure(RowMistakes(row: "is longer than \(maxLineBytes) bytes")))
            }
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do { return (line, .success(try JSONObject.parse(text))) } catch {
                return (
                    line, .failure(RowMistakes(row: "is no JSON object: byte \(error.offset + 1): \(error.reason)"))
                )
            }
        }
        return nil
    }
}
