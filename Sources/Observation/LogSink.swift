package import Locks
internal import Dispatch
internal import Glibc
internal import HTTPServer
package import Logging

/// The destination of log lines: a bounded buffer that a background queue empties, so that a slow or stopped reader of
/// the log does not delay the server.
///
/// Lines are dropped and counted when the buffer is full or writing fails; one line reports how many as soon as writing
/// works again.
package final class LogSink: Sendable {
    private struct State {
        var text = LogText()
        var clock = LogClock()
        /// Lines lost since the last line that reported losses.
        var untold = 0
        var lost = 0
        var isFlushPlanned = false
    }

    /// Minimum level that is written. It may change while the server runs.
    package let level = Locked(Logger.Level.info)
    private let state = Locked(State())
    private let descriptor: Int32
    private let isForPeople: Bool
    private let capacity: Int
    private let queue = DispatchQueue(label: "holdfast.log", qos: .utility)

    /// For how long lines are collected before one write.
    private static let delay = DispatchTimeInterval.milliseconds(10)
    /// Bytes beyond the capacity for lines that say why the process ends.
    private static let urgentRoom = 64 * 1024

    /// - Parameters:
    ///   - descriptor: written to, never closed. 2 is standard error.
    ///   - isForPeople: lines are converted from JSON to text (`ReadableLog`) when they are written.
    ///   - capacity: bytes that may wait.
    package init(descriptor: Int32, isForPeople: Bool = false, capacity: Int = 4 * 1024 * 1024) {
        self.descriptor = descriptor
        self.isForPeople = isForPeople
        self.capacity = capacity
    }

    /// Lines lost since the start.
    package var lost: Int { state.withLock { $0.lost } }

    /// Adds one line: `{"time":...`, followed by the output of `members`, which must begin with a comma.
    /// - Parameter isUrgent: the line also fits when the buffer is full.
    func line(isUrgent: Bool = false, _ members: (inout LogText) -> Void) {
        let mustPlan = state.withLock { state -> Bool in
            guard state.text.bytes.count < (isUrgent ? capacity + LogSink.urgentRoom : capacity) else {
                state.lost += 1
                state.untold += 1
                return false
            }
            state.clock.begin(&state.text)
            members(&state.text)
            state.text.raw("}\n")
            guard !state.isFlushPlanned else { return false }
            state.isFlushPlanned = true
            return true
        }
        if mustPlan { queue.asyncAfter(deadline: .now() + LogSink.delay) { self.writeAll() } }
    }

    /// Returns when everything added so far was written or dropped, or `limit` has passed: a pipe without a reader may
    /// block forever. Do not call on a loop.
    /// - Returns: `false` when `limit` has passed first.
    @discardableResult
    package func flush(within limit: Duration = .seconds(2)) -> Bool {
        let end = DispatchSemaphore(value: 0)
        queue.async {
            self.writeAll()
            end.signal()
        }
        return end.wait(timeout: .now() + .milliseconds(Int(limit.inSeconds * 1000))) == .success
    }

    private func writeAll() {
        dispatchPrecondition(condition: .onQueue(queue))
        repeat {
            let bytes = state.withLock { state -> [UInt8] in
                state.isFlushPlanned = false
                let bytes = state.text.bytes
                state.text.clear()
                return bytes
            }
            // Without a successful write, it is unknown whether writing works again.
            guard !bytes.isEmpty else { return }
            let rest = write((isForPeople ? ReadableLog.text(of: bytes) : bytes)[...])
            guard rest.isEmpty else { return lose(rest.count { $0 == UInt8(ascii: "\n") }) }
        } while reportLost()
    }

    private func lose(_ lines: Int) {
        state.withLock { state in
            state.lost += lines
            state.untold += lines
        }
    }

    /// Adds the line that reports lost ones, because writing works again; `false`: there is nothing to report.
    private func reportLost() -> Bool {
        state.withLock { state in
            guard state.untold > 0 else { return false }
            state.clock.begin(&state.text)
            state.text.raw(",\"level\":\"warning\",\"message\":\"log lines were lost\",\"count\":")
            state.text.integer(state.untold)
            state.text.raw("}\n")
            state.untold = 0
            return true
        }
    }

    /// Returns the bytes that could not be written. May wait for the reader of a pipe; only this queue waits.
    private func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, 1000)
            } else if errno != EINTR {
                return rest
            }
        }
        return rest
    }
}

/// Writes the time of lines; the part down to the second is formatted once a second.
private struct LogClock {
    private var second = Int.min
    private var prefix: [UInt8] = []

    mutating func begin(_ text: inout LogText) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            prefix = LogClock.text(of: now.tv_sec)
        }
        text.raw("{\"time\":\"")
        text.raw(prefix)
        text.raw(".")
        text.padded(now.tv_nsec / 1_000_000, 3)
        text.raw("Z\"")
    }

    /// RFC 3339 in UTC, without fraction and zone.
    private static func text(of second: Int) -> [UInt8] {
        var time = second
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = LogText()
        text.padded(Int(parts.tm_year) + 1900, 4)
        text.raw("-")
        text.padded(Int(parts.tm_mon) + 1, 2)
        text.raw("-")
        text.padded(Int(parts.tm_mday), 2)
        text.raw("T")
        text.padded(Int(parts.tm_hour), 2)
        text.raw(":")
        text.padded(Int(parts.tm_min), 2)
        text.raw(":")
        text.padded(Int(parts.tm_sec), 2)
        return text.bytes
    }
}
