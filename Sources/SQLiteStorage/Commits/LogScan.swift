/// Content of a write-ahead log file, read without SQLite (sqlite.org/fileformat2.html section 4).
///
/// SQLite accepts frames from the start, as long as each has the salts of the header and the correct running checksum.
/// It silently drops the rest: a damaged byte looks like the end that a crash leaves. The scan reads the rest too.
struct LogScan {
    enum Header: Equatable {
        /// No file, an empty file, or a file without a frame.
        case none
        case damaged
        case sound
    }

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    private static let bytesAtOnce = 1 << 18

    private let path: String
    /// The frame whose running checksum is needed.
    private let watched: Int
    private var head: [UInt8] = []

    private(set) var header = Header.none
    /// The last commit that SQLite accepts: its frame, and the counts up to there.
    private(set) var end = LogPosition.none
    /// The running checksum at the watched frame; `nil`: SQLite does not accept that frame.
    private(set) var watchedChecksum: UInt64?
    /// The first frame that SQLite does not accept, counted from 1; `nil`: it accepts all.
    private(set) var firstNotTaken: Int?
    /// The same, but only if frames of this log follow. Otherwise the rest belongs to an earlier log in the same file.
    private(set) var brokenFrame: Int?
    /// The last frame of this log, whether SQLite accepts it or not.
    private(set) var lastFrame = 0
    /// Frames that the file has room for.
    private(set) var framesInFile = 0
    /// Commits after the broken frame that certainly were durable, because another commit was written after them.
    ///
    /// A power loss can leave one incomplete commit, whose pages were written but not yet synced. It cannot leave two,
    /// because each commit is synced before the next begins.
    private(set) var durableCommitsCutOff = 0

    /// Reads the whole log. If the file cannot be read, `header` is `.none`.
    init(path: String, watching frame: Int = 0) {
        self.path = path
        watched = frame
        read()
    }

    /// Reads the frames added since.
    mutating func advance() { read() }

    private mutating func read() {
        guard let file = try? OpenFile(path, .reading), let bytes = try? file.read(LogScan.headerBytes, at: 0) else {
            return startOver([])
        }
        if !bytes.elementsEqual(head) { startOver(bytes) }
        guard header == .sound else { return }
        let frameBytes = LogScan.frameHeaderBytes + pageBytes
        framesInFile = max(0, (file.size - LogScan.headerBytes) / frameBytes)
        var walk = Walk(end: end, isBigEndian: isBigEndian)
        let framesAtOnce = max(1, LogScan.bytesAtOnce / frameBytes)
        var frame = end.frames
        while frame < framesInFile {
            let count = min(framesAtOnce, framesInFile - frame)
            let offset = LogScan.headerBytes + frame * frameBytes
            guard let chunk = try? file.read(count * frameBytes, at: offset), chunk.count == count * frameBytes else {
                break
            }
            chunk.withUnsafeBytes { bytes in
                for index in 0..<count {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[index * frameBytes..<(index + 1) * frameBytes])
                    walk.take(part)
                    if walk.frame == watched && walk.takesFrames { watchedChecksum = walk.checksum.word }
                }
            }
            frame += count
        }
        end = walk.end
        (firstNotTaken, brokenFrame) = (walk.firstNotTaken, walk.brokenFrame)
        (lastFrame, durableCommitsCutOff) = (walk.lastFrame, walk.durableCommitsCutOff)
    }

    /// The pages that SQLite takes from the log.
    var pages: Set<Int> {
        guard header == .sound, let file = try? OpenFile(path, .reading) else { return [] }
        var pages: Set<Int> = []
        for frame in 0..<end.frames {
            let offset = LogScan.headerBytes + frame * (LogScan.frameHeaderBytes + pageBytes)
            guard let bytes = try? file.read(4, at: offset), bytes.count == 4 else { continue }
            pages.insert(Int(LogScan.word(bytes, 0)))
        }
        return pages
    }

    private var isBigEndian: Bool { LogScan.word(head, 0) & 1 == 1 }
    private var pageBytes: Int { Int(LogScan.word(head, 8)) }

    private mutating func startOver(_ bytes: [UInt8]) {
        head = bytes
        (header, end, watchedChecksum) = (.none, .none, nil)
        (firstNotTaken, brokenFrame) = (nil, nil)
        (framesInFile, lastFrame, durableCommitsCutOff) = (0, 0, 0)
        // A header of zeros remains when power is lost before the header was synced.
        guard bytes.count == LogScan.headerBytes, bytes.contains(where: { $0 != 0 }) else { return }
        var sum = LogChecksum()
        bytes.withUnsafeBytes { sum.add($0[..<24], isBigEndian: isBigEndian) }
        let isPower = pageBytes >= 512 && pageBytes <= 65536 && pageBytes & (pageBytes - 1) == 0
        let isSound =
            LogScan.word(bytes, 0) & ~1 == 0x377F_0682 && isPower && sum.first == LogScan.word(bytes, 24)
            && sum.second == LogScan.word(bytes, 28)
        header = isSound ? .sound : .damaged
        guard isSound else { return }
        end = LogPosition(
            salts: UInt64(LogScan.word(bytes, 16)) << 32 | UInt64(LogScan.word(bytes, 20)), frames: 0,
            checksum: sum.word, commits: 0)
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// One pass over the frames in order.
private struct Walk {
    private let isBigEndian: Bool
    private(set) var end: LogPosition
    private(set) var frame: Int
    private(set) var lastFrame: Int
    private(set) var checksum: LogChecksum
    private var commits: Int
    private(set) var firstNotTaken: Int?
    /// Whether a frame of this log follows the accepted ones: other frames belong to an earlier log in the same file.
    private var hasMore = false
    private(set) var durableCommitsCutOff = 0
    /// Commits in the unbroken run of frames after the broken one.
    private var commitsInRun = 0

    var brokenFrame: Int? { hasMore ? firstNotTaken : nil }
    var takesFrames: Bool { firstNotTaken == nil }

    init(end: LogPosition, isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
        self.end = end
        frame = end.frames
        lastFrame = end.frames
        commits = end.commits
        checksum = LogChecksum(end.checksum)
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        frame += 1
        let isOurs = UInt64(word(8)) << 32 | UInt64(word(12)) == end.salts
        let isCommit = word(4) != 0
        let stored = LogChecksum(first: word(16), second: word(20))
        if isOurs {
            lastFrame = frame
            checksum.add(bytes[0..<8], isBigEndian: isBigEndian)
            checksum.add(bytes[24...], isBigEndian: isBigEndian)
        }
        let follows = isOurs && checksum == stored && word(0) != 0
        // The checksum of the next frame continues from the one stored here.
        checksum = stored
        if follows && takesFrames {
            guard isCommit else { return }
            commits += 1
            end = LogPosition(salts: end.salts, frames: frame, checksum: stored.word, commits: commits)
            return
        }
        firstNotTaken = firstNotTaken ?? frame
        if isOurs { hasMore = true }
        if !follows { commitsInRun = 0 }
        guard isOurs && isCommit else { return }
        commitsInRun += 1
        if commitsInRun > 1 { durableCommitsCutOff += 1 }
    }
}

/// SQLite's running checksum: two sums, each added to the other (sqlite.org/fileformat2.html section 4.2).
struct LogChecksum: Equatable {
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init() {}

    init(first: UInt32, second: UInt32) {
        self.first = first
        self.second = second
    }

    init(_ word: UInt64) {
        first = UInt32(truncatingIfNeeded: word >> 32)
        second = UInt32(truncatingIfNeeded: word)
    }

    var word: UInt64 { UInt64(first) << 32 | UInt64(second) }

    /// - Parameter bytes: a multiple of eight.
    mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>, isBigEndian: Bool) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        var (first, second) = (first, second)
        var offset = 0
        while offset + 8 <= bytes.count {
            let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
            offset += 8
        }
        (self.first, self.second) = (first, second)
    }
}
