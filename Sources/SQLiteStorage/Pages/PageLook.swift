/// A look at every page of the database's file, whatever it belongs to: rows, indexes, or nothing any more.
///
/// It reads the file from its beginning in steps, past the engine and its cache. What it finds is a suspicion: the page
/// may be written just now, or a crash may have left it in pieces while the write-ahead log has it whole.
struct PageLook {
    /// Pages in one step: a megabyte.
    private static let pagesAtOnce = 256

    private let connection: Connection
    private var next = 1
    private(set) var suspected: [Int] = []

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// `false`: there are no more pages.
    mutating func step() throws(SQLiteFailure) -> Bool {
        // Each time, as the file grows.
        let end = min(connection.pagesInFile + 1, next + PageLook.pagesAtOnce)
        guard next < end else { return false }
        suspected += try connection.damagedPages(in: next..<end)
        next = end
        return true
    }

    /// All of it at once.
    static func suspected(_ connection: Connection) throws(SQLiteFailure) -> [Int] {
        var look = PageLook(connection)
        while try look.step() {}
        return look.suspected
    }
}

extension Connection {
    /// Those of some pages that are damaged in the file, for whoever knows that nobody writes to it.
    func damagedPages(among numbers: [Int]) throws(SQLiteFailure) -> [Int] {
        var found: [Int] = []
        for number in numbers where number <= pagesInFile { found += try damagedPages(in: number..<number + 1) }
        return found
    }

    /// Notes pages, and gives their names.
    func note(_ numbers: [Int]) -> String {
        let pages = numbers.map { DamagedPage(number: $0, isInLog: false) }
        for page in pages { damaged.note(page) }
        return DamagedPage.text(Array(pages.prefix(20)), of: pages.count)
    }
}
