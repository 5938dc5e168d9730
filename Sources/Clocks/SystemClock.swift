#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

package import Possession

/// The system's clocks.
package enum SystemClock {
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Monotonic nanoseconds, at the pace of real time; on Linux also while the machine sleeps.
    package static func steadyNanoseconds() -> UInt64 {
        var time = timespec()
        #if canImport(Glibc)
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #endif
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Identifies the current boot of the machine; `nil` if the system does not provide that (proc(5), `boot_id`).
    package static let boot: [UInt8]? = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return nil }
        defer { fclose(file) }
        var name = [UInt8](repeating: 0, count: 36)
        return fread(&name, 1, name.count, file) == name.count ? name : nil
    }()
}
