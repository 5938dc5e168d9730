internal import Sandbox
internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/clock`: advances the clock, for every expiry and arrival, or resets it to the machine's.
///
///     {"advanceSeconds":121}  ->  200 {"now":"...","offsetSeconds":121}
///     {"reset":true}          ->  200 {"now":"...","offsetSeconds":0}
struct MoveClock: SandboxEndpoint {
    struct Move: Sendable {
        var seconds: Int64?
        var resets: Bool?
    }

    let clock: any SandboxClock
    let keep: SandboxSurface.KeepClock
    let moved: SandboxSurface.ClockMoved
    let waits: WaitList

    static let call = Call(
        .post, "/sandbox/clock", id: "moveClock", "Move the clock",
        "On by advanceSeconds, or back to the machine's with reset: one of the two.",
        body: .json(#"{"advanceSeconds":121}"#, upTo: .short))
    static let refusals: [SandboxError] = [.field(.missing("advanceSeconds"))]
    static let body = Shape(Move()) {
        Member.optional("advanceSeconds", .integer(0...Int.max), "The clock goes on by so many seconds.") {
            $0.seconds = $1
        }
        Member.optional("reset", .flag, "true: the clock goes back to the machine's time.") { $0.resets = $1 }
    }
    static let reply = SandboxTime.reply

    func respond(
        to move: Move, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> SandboxTime {
        do throws(FieldDefect) { try carryOut(move) } catch { throw .field(error) }
        // Done before the offset is stored, and even if storing fails: the clock has already moved.
        waits.publishAll()
        await moved()
        do throws(EngineFault) { try await keep() } catch { throw SandboxError(error) }
        return SandboxTime(clock)
    }

    private func carryOut(_ move: Move) throws(FieldDefect) {
        switch (move.seconds, move.resets) {
        case (let seconds?, nil), (let seconds?, false):
            guard seconds >= 0 else {
                throw FieldDefect("advanceSeconds", "must not be negative; only reset goes back")
            }
            guard clock.advance(seconds: seconds) else { throw FieldDefect("advanceSeconds", "goes too far") }
        case (nil, true): clock.reset()
        case (_?, true): throw FieldDefect("reset", "cannot stand beside advanceSeconds")
        case (nil, _): throw .missing("advanceSeconds")
        }
    }
}
