internal import CPages
internal import CSQLite
internal import Possession

/// Checksums over the database's pages (`Sources/CPages`).
enum PageChecksums {
    /// The name of the VFS that writes and checks them.
    static let vfs = "holdfast-pages"

    /// Without it, nothing can be opened by that name.
    static func register() {
        _ = cpages_register(vfs, nil)
    }
}

extension Connection {
    /// In a database that has no page yet.
    func leaveRoomForChecksums() {
        _ = cpages_reserve(handle)
    }

    /// `nil`: there is no page yet, or the database is in memory.
    var hasPageChecksums: Bool? {
        switch cpages_form_of(handle) {
        case CPAGES_CHECKED: true
        case CPAGES_PLAIN: false
        default: nil
        }
    }

    /// The head says now that pages have no checksums, and did not at the start.
    func headIsDamaged() -> StorageFault {
        let page = DamagedPage(number: 1, isInLog: false)
        damaged.note(page)
        return SQLiteFailure.damaged(page, "a reader").fault
    }

    /// The same failure; one of a damaged page with its number, which is noted.
    func named(_ failure: SQLiteFailure) -> SQLiteFailure {
        // Without one, the system itself has told of damage.
        guard failure.isDamagedPage, let page = noteLastDamaged() else { return failure }
        return .damaged(page, failure.operation)
    }

    /// How many reads of this connection have met a damaged page.
    var damagedReads: UInt64 { cpages_damage_of(handle).count }

    /// Notes the page that the last of them has met.
    func noteLastDamaged() -> DamagedPage? {
        let met = cpages_damage_of(handle)
        guard met.count > 0 else { return nil }
        let page = DamagedPage(number: Int(met.number), isInLog: met.is_in_log != 0)
        damaged.note(page)
        return page
    }

    /// Pages that the database's file has.
    var pagesInFile: Int { Int(cpages_count(handle)) }

    /// Those of `numbers` whose checksum in the database's file does not belong to them. Without the log and without a
    /// lock: a page that is being written may be among them.
    func damagedPages(in numbers: Range<Int>) throws(SQLiteFailure) -> [Int] {
        var found = [UInt32](repeating: 0, count: numbers.count)
        let count = cpages_check(handle, UInt32(numbers.lowerBound), UInt32(numbers.count), &found)
        guard count >= 0 else { throw SQLiteFailure(code: -count, operation: "a look at pages") }
        return found.prefix(Int(count)).map { Int($0) }
    }
}
