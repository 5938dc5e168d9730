#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

package import Possession

/// The system's own time.
package enum SystemClock {
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
