internal import CLinux
internal import Glibc
internal import Locks
internal import Possession
internal import Storage

/// Exchanges notes with the other servers of the database, over a channel of PostgreSQL (`NOTIFY`). A thread with a
/// connection of its own does it. While this server is the only one, the thread has no connection.
///
/// Notes are sent after their commit, because a transaction with NOTIFY holds a lock until the standby has answered. So
/// a note is lost if its server or a connection fails between the two. Each second, and after each connect, the thread
/// therefore compares the versions of the sessions that callers here wait for with those that it saw before.
final class WakeLine: @unchecked Sendable {
    // Sendable: only the thread uses `session`, `channel`, `versions`, `unseen` and `looksAt`. The rest is locked or
    // constant.

    private enum SQL {
        /// These transactions store nothing, and find rows by an index.
        static let settings =
            "SET synchronous_commit = off; SET statement_timeout = '5s'; SET enable_seqscan = off"
        /// A channel belongs to the whole database, in which each schema may have servers of its own.
        static let channel: StaticString =
            "SELECT 'holdfast_wakes_' || oid::text FROM pg_namespace WHERE nspname = current_schema()"
        static let notify: StaticString = "SELECT pg_notify($1, $2)"
        /// The version of each session, in order; NULL: there is no such session. Each change of a row gives it another
        /// `xmin`.
        static let versions: StaticString = """
            SELECT (SELECT sessions.xmin::text FROM sessions WHERE auth_id = uuid_send(id))
              FROM unnest($1::uuid[]) WITH ORDINALITY AS page (id, place) ORDER BY place
            """
    }

    private struct State: Sendable {
        /// They wait to be sent.
        var notes: Set<WakeNote> = []
        /// The thread was woken for these notes.
        var isWoken = false
        var isRunning = false
        var isStopping = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    /// More notes are lost. The other servers find the changes when they look.
    private static let mostNotes = 20_000
    /// Sessions whose versions one statement reads.
    private static let page = 500
    /// Nanoseconds between two looks at the versions.
    private static let lookInterval: UInt64 = 1_000_000_000
    /// Milliseconds after a sending. Notes that come in this time share the next one.
    private static let pause: Int64 = 10

    private let place: ServerPlace
    private let state = Locked(State())
    /// An eventfd; negative: the process has no free descriptor, and the thread looks for notes at intervals.
    private let bell = clinux_eventfd()

    private var session: PostgresSession?
    private var channel = ""
    /// Versions of the sessions for which callers waited at the last look; empty: there was no such session.
    private var versions: [AuthID: String] = [:]
    /// The sessions that the current look has not read yet.
    private var unseen: ArraySlice<AuthID> = []
    /// When the next look begins, by the clock of `place`.
    private var looksAt: UInt64 = 0

    init(_ place: ServerPlace) {
        self.place = place
    }

    deinit { if bell >= 0 { close(bell) } }

    /// Call once.
    func start(_ listener: WakeListener) {
        state.withLock { $0.isRunning = true }
        // Without a thread, callers at this server wait until their time is over.
        if !BackgroundThread.start(.equal, { self.run(listener) }) { end() }
    }

    /// Tells the other servers soon.
    func tell(_ note: WakeNote) {
        guard place.servers > 1 else { return }
        let mustWake = state.withLock { state -> Bool in
            guard state.isRunning, state.notes.count < WakeLine.mostNotes else { return false }
            state.notes.insert(note)
            defer { state.isWoken = true }
            return !state.isWoken
        }
        if mustWake { _ = clinux_eventfd_signal(bell) }
    }

    /// Ends the thread soon.
    func stop() {
        state.withLock { $0.isStopping = true }
        _ = clinux_eventfd_signal(bell)
    }

    /// Returns when the thread has ended. It sends the last notes, if it is connected.
    func leave() async {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { state -> Bool in
                if state.isRunning { state.whenEnded.append(continuation) }
                return state.isRunning
            }
            if isRunning { stop() } else { continuation.resume() }
        }
    }

    private func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isRunning = false
            defer { state.whenEnded = [] }
            return state.whenEnded
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: The thread

    private func run(_ listener: WakeListener) {
        let interval = place.times.interval.wholeMilliseconds
        var failures: Int64 = 0
        while !state.withLock(\.isStopping) {
            guard place.servers > 1 else {
                session = nil
                versions = [:]
                wait(milliseconds: interval)
                continue
            }
            do throws(PostgresOpeningFault) {
                let session = if let session { session } else { try connect(listener) }
                try send(over: session)
                try look(listener, session)
                // Notes that came during these statements are in memory, and do not end the wait.
                try hear(listener, session)
                wait(milliseconds: unseen.isEmpty ? interval : 0, for: session)
                failures = 0
            } catch {
                session = nil
                wait(milliseconds: min(1000, 50 << min(failures, 5)))
                failures += 1
            }
        }
        if let session { try? send(over: session) }
        session = nil
        end()
    }

    /// Waits for a notification, for notes to send, for the end of this server, or until the time is over.
    private func wait(milliseconds: Int64, for session: PostgresSession? = nil) {
        // poll(2) leaves negative descriptors out.
        var descriptors = [
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
            pollfd(fd: session?.socket ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, Int32(clamping: milliseconds))
        guard descriptors[0].revents != 0 else { return }
        var signals: UInt64 = 0
        _ = read(bell, &signals, 8)
    }

    private func connect(_ listener: WakeListener) throws(PostgresOpeningFault) -> PostgresSession {
        let session = try PostgresSession(place.address)
        session.longestSilence = ServerPlace.silence
        try session.run(SQL.settings, "settings")
        guard let found = try session.rows(SQL.channel).first?.first, let channel = found else {
            throw .refused("search_path names no schema")
        }
        // The name tells operators which connection this is.
        try session.run("LISTEN \(channel); SET application_name = '\(channel)'", "LISTEN")
        self.session = session
        self.channel = channel
        // Other servers were not told what happened before, and find it when they look. An old note could release a newer
        // watcher.
        state.withLock { ($0.notes, $0.isWoken) = ([], false) }
        listener.hear([.events])
        (unseen, looksAt) = ([], 0)
        return session
    }

    /// Notes of a sending that fails are lost.
    private func send(over session: PostgresSession) throws(PostgresOpeningFault) {
        let notes = state.withLock { state -> Set<WakeNote> in
            defer { (state.notes, state.isWoken) = ([], false) }
            return state.notes
        }
        guard !notes.isEmpty else { return }
        for text in WakePayload.texts(of: Array(notes), from: place.number) {
            _ = try session.rows(SQL.notify, channel, text)
        }
        BackgroundThread.pause(milliseconds: WakeLine.pause)
    }

    private func hear(_ listener: WakeListener, _ session: PostgresSession) throws(PostgresOpeningFault) {
        // PostgreSQL sends each notification to its own sender, too.
        let others = try session.takeNotifications().compactMap { WakePayload($0) }.filter { $0.server != place.number }
        let notes = others.flatMap(\.notes)
        if !notes.isEmpty { listener.hear(notes) }
    }

    /// Reads a page of versions, if a look is due or under way. A session that was not in the last look counts as
    /// changed, because it may have changed since its caller read it. So each caller that waits reads once more.
    private func look(_ listener: WakeListener, _ session: PostgresSession) throws(PostgresOpeningFault) {
        let now = place.uptime()
        if unseen.isEmpty && now >= looksAt {
            looksAt = now &+ WakeLine.lookInterval
            unseen = listener.awaited()[...]
            let awaited = Set(unseen)
            versions = versions.filter { awaited.contains($0.key) }
        }
        let page = unseen.prefix(WakeLine.page)
        guard !page.isEmpty else { return }
        let rows = try session.rows(SQL.versions, "{\(page.map(\.text).joined(separator: ","))}")
        unseen = unseen.dropFirst(page.count)
        var changed: [WakeNote] = []
        for (id, row) in zip(page, rows) {
            let version = row[0] ?? ""
            if versions.updateValue(version, forKey: id) != version { changed.append(.changed(id)) }
        }
        if !changed.isEmpty { listener.hear(changed) }
    }
}
