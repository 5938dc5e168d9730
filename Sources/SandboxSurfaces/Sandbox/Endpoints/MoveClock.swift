internal import Sandbox
internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/clock`: moves the clock on, for every expiry and arrival, or back to the machine's.
///
///     {"advanceSeconds":121}  ->  200 {"now":"...","offsetSeconds":121}
///     {"reset":true}          ->  200 {"now":"...","offsetSeconds":0}
struct MoveClock: Sendable {
    let clock: any SandboxClock
    let keep: SandboxSurface.KeepClock
    let waits: WaitList

    /// - Throws: `.body`, `.field`, `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(SandboxError) -> Response {
        let fields = try SandboxBody.reader(of: request)
        do throws(FieldDefect) {
            switch (try fields.integer("advanceSeconds"), try fields.flag("reset")) {
            case (let seconds?, nil), (let seconds?, false):
                guard seconds >= 0 else {
                    throw FieldDefect("advanceSeconds", "must not be negative; only reset goes back")
                }
                guard clock.advance(seconds: seconds) else { throw FieldDefect("advanceSeconds", "goes too far") }
            case (nil, true): clock.reset()
            case (_?, true): throw FieldDefect("reset", "cannot stand beside advanceSeconds")
            case (nil, _): throw .missing("advanceSeconds")
            }
        } catch {
            throw .field(error)
        }
        // Before it is kept, and even if it cannot be: the clock stands there already.
        waits.publishAll()
        do throws(StorageFault) { try await keep() } catch { throw SandboxError(error) }
        return try await ReadClock(clock: clock).respond(to: request)
    }
}

/// Bodies of the sandbox calls.
enum SandboxBody {
    static func reader(of request: Request) throws(SandboxError) -> FieldReader {
        do throws(BodyDefect) { return FieldReader(try RequestBody.object(of: request)) } catch { throw .body(error) }
    }
}
