internal import CPages
internal import CSQLite
internal import Engine
internal import Possession

/// Checksums over the database's pages (`Sources/CPages`).
enum PageChecksums {
    /// The name of the VFS that writes and checks them.
    static let vfs = "holdfast-pages"

    /// If this fails, no database can be opened by that name.
    static func register() {
        _ = cpages_register(vfs, nil)
    }
}

extension SQLiteConnection {
    /// For a database that has no page yet.
    func leaveRoomForChecksums() {
        _ = cpages_reserve(handle)
    }

    /// `nil`: it has no page yet, or is in memory.
    var hasPageChecksums: Bool? {
        switch cpages_form_of(handle) {
        case CPAGES_CHECKED: true
        case CPAGES_PLAIN: false
        default: nil
        }
    }

    /// The header page now says that pages have no checksums; at the start it said that they have.
    func headIsDamaged() -> StorageFault {
        let page = DamagedPage(number: 1, isInLog: false)
        damaged.note(page)
        return SQLiteFailure.damaged(page, "a reader").fault
    }

    /// The same failure; for a damaged page, the number is recorded and added.
    func named(_ failure: SQLiteFailure) -> SQLiteFailure {
        // Without one, the system itself has reported damage.
        guard failure.isDamagedPage, let page = noteLastDamaged() else { return failure }
        return .damaged(page, failure.operation)
    }

    /// How many reads of this connection have met a damaged page.
    var damagedReads: UInt64 { cpages_damage_of(handle).count }

    /// Records the damaged page that the last read has met.
    func noteLastDamaged() -> DamagedPage? {
        let met = cpages_damage_of(handle)
        guard met.count > 0 else { return nil }
        let page = DamagedPage(number: Int(met.number), isInLog: met.is_in_log != 0)
        damaged.note(page)
        return page
    }

    /// Number of pages in the database file.
    var pagesInFile: Int { Int(cpages_count(handle)) }

    /// Pages among `numbers` whose checksum in the database file is wrong. Reads without the log and without a lock: a
    /// page that is just being written may be among them.
    func damagedPages(in numbers: Range<Int>) throws(SQLiteFailure) -> [Int] {
        var found = [UInt32](repeating: 0, count: numbers.count)
        let count = cpages_check(handle, UInt32(numbers.lowerBound), UInt32(numbers.count), &found)
        guard count >= 0 else { throw SQLiteFailure(code: -count, operation: "a look at pages") }
        return found.prefix(Int(count)).map { Int($0) }
    }
}
