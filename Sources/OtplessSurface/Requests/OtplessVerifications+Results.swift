internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// A request's messages, and the person whom it has proven.
extension OtplessVerifications {
    func events(of session: Session) async throws(OtplessError) -> [SessionEvent] {
        do { return try await history.events(of: session.correlationID) } catch { throw OtplessError(error) }
    }

    /// The result of a session of this surface; `nil`: the session has not succeeded.
    func person(of session: Session) async throws(OtplessError) -> ProvenPerson? {
        guard session.outcome == .succeeded else { return nil }
        return person(of: session, try await messages(of: session))
    }

    /// The same with messages that the caller has already read.
    func person(of session: Session, _ messages: [MessageStanding]) -> ProvenPerson? {
        // The sandbox person who was picked at a played provider.
        let number = session.playsProvider ? session.proof?.number : nil
        let played = number.flatMap { number in people().first { $0.number == number } }
        return ProvenPerson(session, messages, engine.crypto.keyed, played)
    }

    /// The state of each message of a session, oldest first.
    func messages(of session: Session) async throws(OtplessError) -> [MessageStanding] {
        do { return try await history.messages(of: session.correlationID) } catch { throw OtplessError(error) }
    }

    /// The same, after sending the message by the next channel if the current channel has reported nothing in its time.
    /// Only for clients that have an order of channels.
    /// - Parameter untilOneArrives: all messages have the same code, so no further message is sent once any has
    ///   arrived.
    func messages(
        movingOnIn session: Session, untilOneArrives: Bool = false, for tenant: Tenant
    ) async throws(OtplessError) -> [MessageStanding] {
        let messages = try await messages(of: session)
        let seconds = tenant.rules.secondsPerChannel ?? TenantRules.defaultSecondsPerChannel
        guard !tenant.rules.smartChannels.isEmpty, let newest = messages.last,
            !(untilOneArrives && messages.contains(where: \.hasArrived)),
            fallback.isDue(newest, of: session, after: seconds, at: engine.now())
        else { return messages }
        let sent: MessageStanding?
        do throws(EngineFault) { sent = try await fallback.send(newest, of: session) } catch {
            throw OtplessError(error)
        }
        // The message's channel is recorded a little later.
        return try await self.messages(of: session).map { message in
            guard let sent, message.id == sent.id, message.state == .queued else { return message }
            return sent
        }
    }

    /// The channel that took the newest message; `nil`: there is no message.
    static func channel(of messages: [MessageStanding], in session: Session) -> OtplessChannel? {
        guard let newest = messages.last else { return nil }
        let channels = session.request.policy.channels
        let first = OtplessChannel(channels.first ?? .sms)
        guard newest.channel == nil, newest.state == .queued else {
            return newest.channel.map { OtplessChannel($0) } ?? first
        }
        // The channel is not recorded yet. It is the one after the channel that did not deliver.
        guard let before = messages.last(where: { $0.channel != nil })?.channel,
            let index = channels.firstIndex(of: before)
        else { return first }
        return OtplessChannel(channels[min(index + 1, channels.count - 1)])
    }

    /// - Throws: `.tokenInvalid` unless this client's request succeeded within the last hour and the token is its
    ///   token.
    func person(
        ofToken text: String, for tenant: Tenant, _ request: Request
    ) async throws(OtplessError) -> ProvenPerson {
        guard let id = OneTapToken.session(of: text, for: tenant.id, engine.crypto.keyed) else { throw .tokenInvalid }
        let found: Session?
        do throws(EngineFault) {
            found = try await backend.session(.correlation(id), of: .otpless, for: tenant.id)
        } catch { throw OtplessError(error) }
        guard let found else { throw .tokenInvalid }
        request.note(found.correlationID)
        guard let person = try await person(of: found),
            engine.now() < person.provenAt.adding(OneTapToken.lifetime)
        else { throw .tokenInvalid }
        return person
    }

    /// The session and person of a request that this call completes by the code of a link.
    func person(
        byCode code: String, _ verifier: String?, for tenant: Tenant, _ request: Request
    ) async throws(OtplessError) -> (session: Session, person: ProvenPerson) {
        let session = try await redeem(code, verifier: verifier, for: tenant)
        request.note(session.correlationID)
        guard let person = try await person(of: session) else {
            throw .internalFault("a request that has succeeded has no result")
        }
        return (session, person)
    }
}

extension MessageStanding {
    var hasArrived: Bool { end == .delivered }
}
