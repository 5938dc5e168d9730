internal import Glibc

/// Reads the bytes of a file one by one, with one block in memory at a time.
struct FileBytes {
    /// A read failed, for the system's reason.
    struct ReadFault: Error, Equatable { let reason: String }

    /// Reads the next block; empty: the end of the file.
    typealias Refill = () throws(ReadFault) -> [UInt8]

    private let refill: Refill
    private var block: [UInt8] = []
    private var position = 0
    /// The line of the next byte, counted from 1.
    private(set) var line = 1

    init(_ refill: @escaping Refill) {
        self.refill = refill
    }

    /// Begins at the descriptor's current position.
    init(descriptor: Int32) {
        self.init { () throws(ReadFault) in
            var block = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &block, block.count)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw ReadFault(reason: String(cString: strerror(errno))) }
                return Array(block.prefix(count))
            }
        }
    }

    mutating func peek() throws(ReadFault) -> UInt8? {
        if position == block.count {
            block = try refill()
            position = 0
        }
        return position < block.count ? block[position] : nil
    }

    mutating func next() throws(ReadFault) -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Skips the rest of the line and its end.
    mutating func skipLine() throws(ReadFault) {
        while let byte = try next(), byte != UInt8(ascii: "\n") {}
    }

    /// Skips the byte order mark that some programs write before UTF-8. A pipe may deliver it in pieces.
    mutating func skipByteOrderMark() throws(ReadFault) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard try peek() == mark[0] else { return }
        while block.count - position < mark.count {
            let more = try refill()
            guard !more.isEmpty else { return }
            block = block[position...] + more
            position = 0
        }
        if block[position...].starts(with: mark) { position += mark.count }
    }

    /// The rest of the line without its end; `nil`: it is longer than `most` bytes, and was skipped.
    mutating func nextLine(upTo most: Int) throws(ReadFault) -> [UInt8]? {
        var text: [UInt8] = []
        while let byte = try next(), byte != UInt8(ascii: "\n") {
            guard text.count < most else {
                try skipLine()
                return nil
            }
            text.append(byte)
        }
        return text
    }
}
