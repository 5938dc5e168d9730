internal import CLinux
internal import Glibc

/// The process itself: what is set before anything else is made, and what goes once it serves.
enum ProcessSetup {
    static func prepare() {
        // Nothing this process makes is for other users, and its memory goes into no core file (DAT-08).
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A connection is a descriptor.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            descriptors.rlim_cur = descriptors.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        }
        // A peer that is gone shows in the result of a write (OPS-08).
        signal(SIGPIPE, SIG_IGN)
    }

    /// After the start: gives back the code and constants that only the start has used, 11 of 32 MB. Serving needs few of
    /// them, and takes them from the page cache again.
    static func releaseStart() {
        // Not in a debug build: the breakpoints of a debugger are changes of those pages, and would go with them.
        #if !DEBUG
            clinux_release_file_pages()
        #endif
    }
}
