/// Checks every page of the database file, including pages of indexes and free pages.
///
/// It reads the file from its beginning in steps, bypassing SQLite and its cache. A finding is only a suspicion: the
/// page may just be being written, or a crash may have left it incomplete while the write-ahead log has it intact.
struct PageScan {
    /// Pages read in one step: a megabyte.
    private static let pagesAtOnce = 256

    private let connection: SQLiteConnection
    private var next = 1
    private(set) var suspected: [Int] = []

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Returns `false` when there are no more pages.
    mutating func step() throws(SQLiteFailure) -> Bool {
        // Read each time, because the file grows.
        let end = min(connection.pagesInFile + 1, next + PageScan.pagesAtOnce)
        guard next < end else { return false }
        suspected += try connection.damagedPages(in: next..<end)
        next = end
        return true
    }

    /// Checks the whole file at once.
    static func suspected(_ connection: SQLiteConnection) throws(SQLiteFailure) -> [Int] {
        var scan = PageScan(connection)
        while try scan.step() {}
        return scan.suspected
    }
}

extension SQLiteConnection {
    /// Which of the given pages are damaged in the file. Call only while no process writes to it.
    func damagedPages(among numbers: [Int]) throws(SQLiteFailure) -> [Int] {
        var found: [Int] = []
        for number in numbers where number <= pagesInFile { found += try damagedPages(in: number..<number + 1) }
        return found
    }

    /// Records pages, and returns their names.
    func note(_ numbers: [Int]) -> String {
        let pages = numbers.map { DamagedPage(number: $0, isInLog: false) }
        for page in pages { damaged.note(page) }
        return DamagedPage.text(Array(pages.prefix(20)), of: pages.count)
    }
}
