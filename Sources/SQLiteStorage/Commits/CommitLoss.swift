/// Acknowledged commits that are missing. The text is for the operator who started the server.
package struct CommitLoss: Sendable, Equatable, CustomStringConvertible {
    package enum Cause: Sendable, Equatable {
        /// The log has a frame that SQLite does not accept, followed by frames that belong to this log.
        case damagedLog(frame: Int, of: Int)
        case damagedLogHeader
        /// The log ends before the frame of the last commit.
        case shortLog(frames: Int, of: Int)
        /// The log with the last commits is missing or was replaced.
        case missingLog
        /// The database file is older than the acknowledged commits.
        case olderDatabase
        /// The database file is older than its log: SQLite would mix pages of both.
        case olderDatabaseUnderLog
        /// The database has another history.
        case otherHistory
    }

    package enum Extent: Sendable, Equatable {
        /// Numbers of the missing commits.
        case commits(ClosedRange<Int>)
        /// How many commits were acknowledged after these is unknown.
        case atLeast(Int)
        case unknown
    }

    package let extent: Extent
    package let cause: Cause
    /// Time of the last missing commit, as far as a file records it.
    package let lastAt: String?

    /// Whether the server can run with the remaining data.
    var isAcceptable: Bool { cause != .olderDatabaseUnderLog }

    package var description: String {
        let time = lastAt.map { ", the last at \($0)" } ?? ""
        let what =
            switch extent {
            case .commits(let numbers) where numbers.count == 1:
                "1 acknowledged commit is missing (number \(numbers.lowerBound)\(time))"
            case .commits(let numbers):
                "\(numbers.count) acknowledged commits are missing (numbers \(numbers.lowerBound) to \(numbers.upperBound)\(time))"
            case .atLeast(1): "at least 1 acknowledged commit is missing"
            case .atLeast(let count): "at least \(count) acknowledged commits are missing"
            case .unknown: "acknowledged commits may be missing, and how many cannot be told"
            }
        return "\(what): \(cause.sentence)"
    }
}

extension CommitLoss.Cause {
    fileprivate var sentence: String {
        switch self {
        case .damagedLog(let frame, let frames): "the write-ahead log is damaged at frame \(frame) of \(frames)"
        case .damagedLogHeader: "the head of the write-ahead log is damaged"
        case .shortLog(let frames, let promised): "the write-ahead log ends after frame \(frames) of \(promised)"
        case .missingLog: "the write-ahead log that had them is gone, or another one is in its place"
        case .olderDatabase: "the database is older than holdfast.commits, as a copy that was put back is"
        case .olderDatabaseUnderLog: "the database is older than the write-ahead log beside it"
        case .otherHistory: "the database is not the one that holdfast.commits was written for"
        }
    }
}
