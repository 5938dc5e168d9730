internal import Possession
internal import SurfaceKit

/// Starts processes and goes on with them, for every call. A process is a session of its API client that the app drives by the
/// session's id. The same identification from the same network gets the same id. Another network gets a process of its own:
/// a stranger who knows a person's credentials can neither see nor end the person's process.
///
/// No answer tells whether a person is known: an unknown one gets a process like any other, and what stops a message is not
/// told (`Policy.tellsNothingOfMessages`). A sandbox, whose people are public, tells that a message was refused.
struct Processes: Sendable {
    let engine: Engine
    let backend: BackendVerifications
    let finder: any PersonFinder
    let isSandbox: Bool

    init(_ engine: Engine, finder: any PersonFinder, isSandbox: Bool) {
        self.engine = engine
        self.finder = finder
        self.isSandbox = isSandbox
        backend = BackendVerifications(engine)
    }

    /// Starts a process and sends its code, or goes on with the one that the same identification has started from the same
    /// network and that is not over: then another code goes out, if the last one is old enough.
    func start(
        _ said: Identification, for caller: OnboardingCaller
    ) async throws(OnboardingError) -> Session {
        let digest = engine.keyed.identification(said, caller.tenant.id)
        guard let unknown = UnknownPerson(digest: digest) else {
            throw .internalFault("a digest of an identification has \(digest.count) bytes")
        }
        var (found, isAnswered) = (FoundPerson?.none, true)
        do throws(IdentityFault) { found = try await person(said, of: caller.tenant) } catch { isAnswered = false }
        // The server looks up a number for an unknown person too, so that the answer takes as long as for a known one.
        let number = found?.target.number
        let closure = engine.closure(of: number ?? .ofNobody, by: caller.tenant.rules)
        if number != nil, closure != nil {
            await tellLater("a process was started without a message: the number is not open to this client")
            found = nil
        }
        let name = SessionName(
            .identification, .digest(engine.keyed.identification(said, from: caller.address, caller.tenant.id)))
        do throws(SendRefusal) {
            return try await start(found, orNobody: unknown, as: name, isAnswered: isAnswered, for: caller)
        } catch {
            switch error {
            // Nothing is sent to such a number. It must not be seen.
            case .malformedNumber, .numberNotServed, .lineRefused, .countryClosed:
                await tellLater("a process was started without a message: \(error)")
            default: throw OnboardingError(ofStart: error)
            }
        }
        do throws(SendRefusal) {
            return try await start(nil, orNobody: unknown, as: name, isAnswered: true, for: caller)
        } catch { throw OnboardingError(ofStart: error) }
    }

    /// Writes a line of the log after the answer. Written before it, the line would delay the answer for known people only, and
    /// show that they are known.
    private func tellLater(_ line: String) async {
        let report = engine.report
        _ = await engine.sending.run(isWaitedFor: false) { report(line) }
    }

    /// - Throws: and reports why, where nobody can say whether there is such a person.
    private func person(_ said: Identification, of tenant: Tenant) async throws(IdentityFault) -> FoundPerson? {
        do throws(IdentityFault) {
            guard let found = try await finder.person(said, for: tenant.id) else { return nil }
            guard let mailbox = found.target.email else { return found }
            guard (try? engine.emails.read(mailbox.text)) != nil else {
                await tellLater("a process was started without a message: there is no way to an e-mail address")
                return nil
            }
            return found
        } catch {
            switch error {
            case .unavailable(let reason): engine.report("whom credentials name: \(reason)")
            }
            throw error
        }
    }

    /// - Parameter isAnswered: whether anybody could say who is meant. If not, a process of the same credentials goes on, whoever it
    ///   is of: else a finder that fails would tell that there is somebody.
    private func start(
        _ found: FoundPerson?, orNobody unknown: UnknownPerson, as name: SessionName, isAnswered: Bool,
        for caller: OnboardingCaller
    ) async throws(SendRefusal) -> Session {
        let target = found?.target ?? .nobody(unknown)
        var order: PlatformService.SessionOrder
        do throws(Policy.Defect) {
            order = try OnboardingRules.session(to: target, tellsNothingOfMessages: !isSandbox)
        } catch { throw .engine(.failed("policy: \(error.what)")) }
        order.languages = caller.languages ?? found?.language.map { Languages([$0]) } ?? nil
        order.references.clientHumanID = found?.id
        var keys: [LimitKey] = []
        if engine.limits.overSessions != nil {
            keys =
                LimitKey.starts(from: caller.address, of: caller.tenant.id)
                + [LimitKey.starts(by: unknown, from: caller.address, of: caller.tenant.id)]
        }
        do throws(SendRefusal) {
            let result = try await backend.start(
                order, for: caller.tenant, step(of: caller),
                foundBy: name, counting: keys,
                goesOn: { !$0.isDone && (!isAnswered || $0.request.subject.target == target) })
            switch result {
            case .sent(let sent): return sent.session
            case .silent(let session, _), .stopped(let session): return session
            }
        } catch {
            // The process goes on, and the code before is the last one.
            guard case .sendsUsedUp(let session, _) = error else { throw error }
            return session
        }
    }

    private func step(of caller: OnboardingCaller) -> BackendVerifications.Step {
        var step = BackendVerifications.Step()
        step.address = caller.address
        step.isAskedByPerson = true
        step.pauseSeconds = OnboardingRules.pauseSeconds
        step.languages = caller.languages
        return step
    }

    /// As it stands now.
    func process(_ id: CorrelationID, for tenant: Tenant) async throws(OnboardingError) -> Session {
        let session: Session?
        do throws(EngineFault) {
            session = try await backend.session(.correlation(id), of: .onboarding, for: tenant.id)
        } catch { throw OnboardingError(error) }
        guard let session else { throw .unknownProcess }
        return session
    }

    /// Sends another code. The ones before are good no more.
    func sendAgain(_ id: CorrelationID, for caller: OnboardingCaller) async throws(OnboardingError) {
        do throws(SendRefusal) {
            _ = try await backend.sendCode(
                on: .correlation(id), of: .onboarding, for: caller.tenant.id, step(of: caller))
        } catch { throw OnboardingError(error) }
    }

    /// Ends a process. One that is over stays as it is.
    func cancel(_ id: CorrelationID, for tenant: Tenant) async throws(OnboardingError) {
        let result: CancelResult
        do throws(EngineFault) {
            result = try await backend.cancel(on: .correlation(id), of: .onboarding, for: tenant.id)
        } catch { throw OnboardingError(error) }
        guard result != .noSession else { throw .unknownProcess }
    }
}

extension OnboardingError {
    static let unknownProcess = Self.processFailed("there is no such process")
    static let messageRefused = Self.codeNotSent("the message could not be sent", retryAfterSeconds: nil)

    /// A call that asks for another code. No answer tells what speaks against the person's number or address.
    init(_ refusal: SendRefusal) {
        switch refusal {
        case .startsLimited(let hit) where hit.limit == .startsPerPerson:
            self = .tooManyProcesses(retryAfterSeconds: hit.retryAfterSeconds)
        case .startsLimited(let hit): self = .rateLimited(hit)
        case .sendLimited(let hit, _):
            self = .codeNotSent(
                "the last code is too new for another one", retryAfterSeconds: hit.retryAfterSeconds)
        case .sendsUsedUp: self = .codeNotSent("no message is left in this process", retryAfterSeconds: nil)
        case .malformedNumber, .numberNotServed, .lineRefused, .countryClosed, .codeTooShort, .pageRefused,
            .callbackRefused, .notDelivered:
            self = .messageRefused
        case .over, .notAwaited: self = .processFailed("the process is over")
        case .noSession, .retryKeyReused: self = .unknownProcess
        case .clientRevoked: self = .notSetUp
        case .engine(let fault): self.init(fault)
        }
    }

    /// The start of a process waits for no code before.
    fileprivate init(ofStart refusal: SendRefusal) {
        if case .sendLimited(let hit, _) = refusal { self = .rateLimited(hit) } else { self.init(refusal) }
    }
}
