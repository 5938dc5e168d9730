internal import Possession
internal import Sandbox
internal import SurfaceKit

/// The server's current time.
struct SandboxTime: Sendable {
    let now: Timestamp
    let offsetSeconds: Int64

    init(_ clock: any SandboxClock) {
        now = clock.now()
        offsetSeconds = clock.offsetSeconds
    }

    static let reply = Reply<SandboxTime>(name: "SandboxClock") {
        ReplyMember.always("now", .moment, "The server's time, UTC: everything that is stored expires by it.") {
            $0.now
        }
        ReplyMember.always("offsetSeconds", .integer(0...Int.max), "How far it is ahead of the machine's.") {
            Int($0.offsetSeconds)
        }
    }
}
