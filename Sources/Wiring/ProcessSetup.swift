internal import CLinux
internal import Glibc

/// Settings of the process: some are made before anything else, and some memory is given back once the server serves.
enum ProcessSetup {
    static func prepare() {
        // No other user may read files of this process (DAT-08).
        umask(0o077)
        keepMemoryOutOfFiles()
        // Each connection needs a descriptor.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            descriptors.rlim_cur = descriptors.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        }
        // Ignore the signal: the result of a write shows that a peer is gone (OPS-08).
        signal(SIGPIPE, SIG_IGN)
    }

    /// Keeps keys and codes out of core files (DAT-08). The limit has no effect if a program takes the core from a pipe
    /// (core(5)), so the process is also made not dumpable.
    static func keepMemoryOutOfFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinux_forbid_dumps()
    }

    /// Whether the system would write a core file of this process, or a debugger of the same user could read its
    /// memory.
    static var isDumpable: Bool { clinux_is_dumpable() != 0 }

    /// Gives back code and constants that only the start has used, 11 of 32 MB. Serving needs few of them, and loads
    /// them from the page cache again.
    static func releaseStart() {
        // Not in a debug build: a debugger's breakpoints are changes to these pages and would be lost.
        #if !DEBUG
            clinux_release_file_pages()
        #endif
    }
}
