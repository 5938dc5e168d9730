import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Faults that callers are told for SQLite's result codes (sqlite.org/rescode.html).
@Suite struct SQLiteFailureTests {
    @Test(
        arguments: [
            // SQLITE_BUSY, BUSY_SNAPSHOT, LOCKED, NOMEM, IOERR_SHMSIZE, FULL
            5, 5 | 2 << 8, 6, 7, 10 | 19 << 8, 13,
        ] as [Int32])
    func `what may pass later is overload, and stops nothing`(code: Int32) {
        let failure = SQLiteFailure(code: code, operation: "test")
        #expect(failure.fault == .overloaded && !failure.isFatal)
    }

    @Test(
        arguments: [
            // SQLITE_IOERR, IOERR_WRITE, IOERR_FSYNC, CORRUPT, NOTADB
            10, 10 | 3 << 8, 10 | 4 << 8, 11, 26,
        ] as [Int32])
    func `after what leaves the disk unknown nothing is acknowledged`(code: Int32) {
        let failure = SQLiteFailure(code: code, operation: "test")
        #expect(failure.fault == .failed(code: Int(code), operation: "test") && failure.isFatal)
    }
}
