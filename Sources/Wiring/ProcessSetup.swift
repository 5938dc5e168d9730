internal import CLinux
internal import Glibc

/// The process itself: what is set before anything else is made, and what goes once it serves.
enum ProcessSetup {
    static func prepare() {
        // Nothing this process makes is for other users (DAT-08).
        umask(0o077)
        keepMemoryOutOfFiles()
        // A connection is a descriptor.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            descriptors.rlim_cur = descriptors.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        }
        // A peer that is gone shows in the result of a write (OPS-08).
        signal(SIGPIPE, SIG_IGN)
    }

    /// No core file holds keys or codes (DAT-08). The limit is not asked where a program takes the core from a pipe
    /// (core(5)), so the process is not dumpable as well.
    static func keepMemoryOutOfFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinux_forbid_dumps()
    }

    /// Whether the system would write a core file of this process, or a debugger of its user could read it.
    static var isDumpable: Bool { clinux_is_dumpable() != 0 }

    /// After the start: gives back the code and constants that only the start has used, 11 of 32 MB. Serving needs few of
    /// them, and takes them from the page cache again.
    static func releaseStart() {
        // Not in a debug build: the breakpoints of a debugger are changes of those pages, and would go with them.
        #if !DEBUG
            clinux_release_file_pages()
        #endif
    }
}
