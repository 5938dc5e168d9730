internal import Locks

/// A page whose content is not what was written.
package struct DamagedPage: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// From 1.
    package let number: Int
    /// The page is in the write-ahead log, where it is newer than in the database file.
    package let isInLog: Bool

    package var description: String { isInLog ? "page \(number) in the write-ahead log" : "page \(number)" }

    package static func < (left: DamagedPage, right: DamagedPage) -> Bool {
        (left.number, left.isInLog ? 1 : 0) < (right.number, right.isInLog ? 1 : 0)
    }

    /// Such as `page 7, page 12 and 3 more`.
    static func text(_ pages: [DamagedPage], of count: Int) -> String {
        let named = pages.map(\.description).joined(separator: ", ")
        return count > pages.count ? "\(named) and \(count - pages.count) more" : named
    }
}

/// The damaged pages that reads of one database have met.
package final class DamagedPages: Sendable {
    private struct State {
        /// The first damaged pages, each of which is named in messages.
        var pages: Set<DamagedPage> = []
        var reads = 0
        var inLog: Int?
    }

    private static let mostNamed = 20

    private let state = Locked(State())

    func note(_ page: DamagedPage) {
        state.withLock { state in
            state.reads += 1
            if page.isInLog { state.inLog = page.number }
            if state.pages.count < DamagedPages.mostNamed { state.pages.insert(page) }
        }
    }

    /// Forgets the pages that a check did not confirm: they were read wrongly.
    func forgetPages() { state.withLock { $0.pages = [] } }

    /// How often a damaged page was read since the start.
    package var reads: Int { state.withLock { $0.reads } }

    /// A damaged page in the write-ahead log.
    var inLog: Int? { state.withLock { $0.inLog } }

    /// Names of the pages, in order; `nil`: none.
    package var text: String? {
        let pages = state.withLock { $0.pages }
        return pages.isEmpty ? nil : DamagedPage.text(pages.sorted(), of: pages.count)
    }
}
