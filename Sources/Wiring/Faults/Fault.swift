/// A lasting fault that an operator must act on. Each fault has a line in the log, a series of `holdfast_fault`, and a
/// row in docs/operate/faults.md.
enum Fault: String, Sendable, CaseIterable {
    case diskFull = "disk_full"
    case databaseUnreachable = "database_unreachable"
    case databaseLost = "database_lost"
    case databaseDamaged = "database_damaged"
    case databaseLocked = "database_locked"
    case logHeld = "wal_held"
    case overloaded = "overloaded"
    case loopsOverloaded = "loops_overloaded"
    case clockAhead = "clock_ahead"
    case logLost = "log_lines_lost"
    case commitsUnnoted = "commits_unnoted"

    /// The log line when the fault begins, and at intervals while it lasts: the fault and the remedy.
    var line: String {
        switch self {
        case .diskFull:
            "the disk is full: changes are refused with 503 until there is room; free space where the database is"
        case .databaseUnreachable:
            "PostgreSQL cannot be reached, or takes no changes: calls are refused with 503; look at the database and the network, or promote a standby"
        case .databaseLost:
            "the database or its log was removed or replaced while in use: nothing is changed any more; as root, copy both from /proc/PID/fd before you end this process, then put them back and start again"
        case .databaseDamaged:
            "the database is damaged, what is found in its sound parts is still served: copy the data directory away, then restore a backup; look at the disk and the memory of this machine"
        case .databaseLocked:
            "another process holds the database for writing: changes wait for it and are refused with 503; end that process (fuser -v names it)"
        case .logHeld:
            "a reader keeps the write-ahead log from being emptied, and it grows: end the process that has the database open (fuser -v names it)"
        case .overloaded:
            "more changes come than the disk takes: some are refused with 503; look for what else uses the disk, or spread the load"
        case .loopsOverloaded:
            "more requests come than the processors take: some are refused with 503; look for what else runs on this machine, or spread the load"
        case .clockAhead:
            "the machine's clock is behind the time this server has told: it goes on from there; set the machine's clock right, and see --accept-clock if the earlier time was wrong"
        case .logLost:
            "log lines were lost: the program that reads the log is too slow, or its disk is full"
        case .commitsUnnoted:
            "holdfast.commits cannot be written: changes are stored, but the next start cannot tell whether one is missing; look at the disk and at the data directory"
        }
    }

    /// Log line when the fault is over.
    var end: String {
        switch self {
        case .diskFull: "there is room on the disk again"
        case .databaseUnreachable: "PostgreSQL is reached again"
        case .databaseLost: "the database is at its place again"
        case .databaseDamaged: "the database was read through and found sound"
        case .databaseLocked: "the database is not held by another process any more"
        case .logHeld: "the write-ahead log was emptied"
        case .overloaded: "changes are taken in time again"
        case .loopsOverloaded: "requests are taken in time again"
        case .clockAhead: "the machine's clock has caught up"
        case .logLost: "log lines are written again"
        case .commitsUnnoted: "holdfast.commits is written again"
        }
    }

    /// Whether the fault keeps the server from doing its work, so that it is logged as an error and not as a warning.
    var isSevere: Bool {
        switch self {
        case .diskFull, .databaseUnreachable, .databaseLost, .databaseDamaged: true
        case .databaseLocked, .logHeld, .overloaded, .loopsOverloaded, .clockAhead, .logLost, .commitsUnnoted: false
        }
    }
}
