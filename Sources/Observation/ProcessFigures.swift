internal import CoreMetrics
internal import Glibc

/// Memory, descriptors and processor time of this process, as the system reports them.
package struct ProcessFigures: Sendable {
    package static let families = [
        MetricsRegistry.Family("process_open_fds", help: "Open descriptors, looked up every few seconds.")
    ]

    private let descriptors: any MeterHandler

    package init(_ registry: MetricsRegistry) {
        descriptors = registry.makeMeter(label: "process_open_fds", dimensions: [])
        let started = ProcessFigures.startedAt()
        registry.collect { text in
            if let started {
                text.gauge("process_start_time_seconds", "When the process started, in Unix seconds.", started)
            }
            ProcessFigures.collect(&text)
        }
    }

    /// Counts descriptors: before Linux 6.2 this is too slow for a loop when there are many.
    package func sample() {
        descriptors.set(Int64(ProcessFigures.openDescriptors()))
    }

    private static func collect(_ text: inout MetricsText) {
        text.gauge("process_resident_memory_bytes", "Resident memory.", Double(residentBytes()))
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            text.gauge("process_max_fds", "Most descriptors the process may open.", Double(limit.rlim_cur))
        }
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            let seconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            text.counter("process_cpu_seconds_total", "Processor time, user and system.", seconds)
        }
    }

    /// In Unix seconds: the 22nd value of `/proc/self/stat` (clock ticks since the machine started), converted to the
    /// wall clock.
    static func startedAt() -> Double? {
        let bytes = beginning(of: "/proc/self/stat")
        // The second value is a name in brackets and may contain anything.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        var (booted, wall) = (timespec(), timespec())
        guard words.count > 19, let ticks = Double(words[19]), clock_gettime(CLOCK_BOOTTIME, &booted) == 0,
            clock_gettime(CLOCK_REALTIME, &wall) == 0
        else { return nil }
        let age = Double(booted.tv_sec) - ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return (Double(wall.tv_sec) - age).rounded()
    }

    /// The second value of `/proc/self/statm`, in pages.
    static func residentBytes() -> Int {
        let words = String(decoding: beginning(of: "/proc/self/statm"), as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The first 4 KiB, more than these files have; empty when they cannot be read.
    private static func beginning(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    /// From Linux 6.2 on, the size of the folder is their number; before, each of them is read.
    static func openDescriptors() -> Int {
        var status = stat()
        if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without `.`, `..` and the directory itself.
        return max(0, count - 3)
    }
}
