internal import Engine
internal import Possession
internal import SurfaceKit

/// Starts and continues processes, for every call. A process is a session of its API client; the app drives it by the
/// session's id. The same identification from the same network gets the same id. Another network gets another process,
/// so a stranger who knows a person's identification can neither see nor end that person's process.
///
/// No answer shows whether a person is known: an unknown person gets a process too, and the reason why a message was
/// not sent is hidden (`Policy.tellsNothingOfMessages`). A sandbox, whose people are public, reports that a message was
/// refused.
struct Processes: Sendable {
    let engine: Engine
    let backend: Verifications
    let finder: any PersonFinder
    let isSandbox: Bool

    init(_ engine: Engine, finder: any PersonFinder, isSandbox: Bool) {
        self.engine = engine
        self.finder = finder
        self.isSandbox = isSandbox
        backend = Verifications(engine)
    }

    /// Starts a process and sends its code. If the same identification from the same network has an open process,
    /// continues it: sends another code if the last one is old enough.
    func start(
        _ said: Identification, for caller: OnboardingCaller
    ) async throws(OnboardingError) -> Session {
        let digest = engine.crypto.keyed.identification(said, caller.tenant.id)
        guard let unknown = UnknownPerson(digest: digest) else {
            throw .internalFault("a digest of an identification has \(digest.count) bytes")
        }
        var (found, isAnswered) = (FoundPerson?.none, true)
        do throws(IdentityFault) { found = try await person(said, of: caller.tenant) } catch { isAnswered = false }
        let recipient: Recipient
        do throws(SendRefusal) {
            recipient = try backend.recipient(found?.target ?? .nobody(unknown), for: caller.tenant)
        } catch {
            await logLater("a process was started without a message: the number is not open to this client")
            (found, recipient) = (nil, .unknown(unknown))
        }
        var order = OnboardingRules.order(to: recipient, for: caller, tellsNothingOfMessages: !isSandbox)
        order.message.languages = caller.languages ?? found?.language.map { Languages([$0]) } ?? nil
        order.references.clientHumanID = found?.id
        order.sharedName = SessionName(
            .identification, .digest(engine.crypto.keyed.identification(said, from: caller.address, caller.tenant.id)))
        // If the finder fails, continue any open process of this identification, for any recipient. Otherwise a
        // failing finder would show that the person exists.
        order.reuse = isAnswered ? .whileOpenToSameRecipient : .whileOpen
        if engine.limits.overSessions != nil {
            order.startKeys =
                LimitKey.starts(from: caller.address, of: caller.tenant.id)
                + [LimitKey.starts(by: unknown, from: caller.address, of: caller.tenant.id)]
        }
        do throws(SendRefusal) { return try await backend.start(order, for: caller.tenant).message.session } catch {
            // The process stays open; its last code remains valid.
            if case .sendsUsedUp(let session, _) = error { return session }
            throw OnboardingError(ofStart: error)
        }
    }

    /// Writes a log line after the answer. Writing it before would delay the answer only for known people, and so show
    /// that they are known.
    private func logLater(_ line: String) async {
        let report = engine.reports.log
        _ = await engine.network.sending.run(isWaitedFor: false) { report(line) }
    }

    /// - Throws: the finder could not answer. The reason is reported first.
    private func person(_ said: Identification, of tenant: Tenant) async throws(IdentityFault) -> FoundPerson? {
        do throws(IdentityFault) {
            guard let found = try await finder.person(said, for: tenant.id) else { return nil }
            guard let mailbox = found.target.email else { return found }
            guard (try? engine.network.emails.read(mailbox.text)) != nil else {
                await logLater("a process was started without a message: there is no way to an e-mail address")
                return nil
            }
            return found
        } catch {
            switch error {
            case .unavailable(let reason): engine.reports.log("whom credentials name: \(reason)")
            }
            throw error
        }
    }

    /// The process in its current state.
    func process(_ id: CorrelationID, for tenant: Tenant) async throws(OnboardingError) -> Session {
        let session: Session?
        do throws(EngineFault) {
            session = try await backend.session(.correlation(id), of: .onboarding, for: tenant.id)
        } catch { throw OnboardingError(error) }
        guard let session else { throw .unknownProcess }
        return session
    }

    /// Sends another code. Earlier codes become invalid.
    func sendAgain(_ id: CorrelationID, for caller: OnboardingCaller) async throws(OnboardingError) {
        do throws(SendRefusal) {
            _ = try await backend.sendCode(
                on: .correlation(id), of: .onboarding, for: caller.tenant.id, OnboardingRules.message(for: caller))
        } catch { throw OnboardingError(error) }
    }

    /// Ends a process. A process that is over stays unchanged.
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

    /// For a call that asks for another code. No answer shows why the person's number or address gets no message.
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

    /// For the start of a process, which has no earlier code to wait for.
    fileprivate init(ofStart refusal: SendRefusal) {
        if case .sendLimited(let hit, _) = refusal { self = .rateLimited(hit) } else { self.init(refusal) }
    }
}
