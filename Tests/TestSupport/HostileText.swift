internal import Glibc

/// Text of a given size, for tests that no caller's text costs more than its length.
package enum HostileText {
    /// One letter and a run of combining marks whose order normalisation changes: one `Character`, however long.
    package static func marks(_ bytes: Int) -> String {
        "a" + String(repeating: "\u{301}\u{323}", count: max(0, bytes - 1) / 4) + ascii((max(0, bytes - 1)) % 4)
    }

    /// As many bytes of letters.
    package static func ascii(_ bytes: Int) -> String { String(repeating: "a", count: bytes) }

    /// All bytes as percent triplets.
    package static func percentEncoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// Cost of work in processor time of the thread that does it. Other threads and the load of the machine do not count.
package enum ProcessorTime {
    /// Processor time of the calling thread, in nanoseconds.
    package static func ofThread() -> UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The least of a few tries, in nanoseconds.
    package static func least(of tries: Int = 4, _ work: () throws -> Void) rethrows -> UInt64 {
        var least = UInt64.max
        for _ in 0..<tries {
            let start = ofThread()
            try work()
            least = min(least, ofThread() - start)
        }
        return least
    }

    /// Whether hostile text cost about what plain text of its length did: within a factor of 4. Below 0.3 ms the work is
    /// lost in the noise.
    package static func isLike(_ hostile: UInt64, plain: UInt64) -> Bool {
        hostile <= 4 * max(plain, 300_000)
    }
}
