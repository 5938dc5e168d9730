internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Finds requests, and reads the numbers, addresses and channels that callers name.
extension OtplessRequests {
    /// The request that its backend names.
    /// - Throws: as `find` of a key. A text that no request of this server has for an id may be the backend's own.
    func find(_ name: RequestName, for tenant: Tenant) async throws(OtplessError) -> Session {
        if let id = name.id, let found = try await look(.correlation(id), for: tenant) { return found }
        guard let found = try await look(.named(name.own(engine.keyed)), for: tenant) else { throw name.unknown }
        return found
    }

    /// A request as it stands now. A silent proof that nothing can help any more is ended first, so that it stays so.
    /// - Throws: `.unknownRequest` also for what is another client's or another surface's.
    func find(_ key: SessionKey, for tenant: Tenant) async throws(OtplessError) -> Session {
        guard let found = try await look(key, for: tenant) else { throw .unknownRequest }
        return found
    }

    private func look(_ key: SessionKey, for tenant: Tenant) async throws(OtplessError) -> Session? {
        let found: Session?
        do throws(EngineFault) { found = try await backend.session(key, of: .otpless, for: tenant.id) } catch {
            throw OtplessError(error)
        }
        guard let found, found.isReadable(at: engine.now()) else { return nil }
        guard found.phase == .active(.mobileAuth) else { return found }
        let events = try await events(of: found)
        do throws(EngineFault) { return try await backend.afterMobileAuth(found, events) } catch {
            throw OtplessError(error)
        }
    }

    /// The number that a message is to go to. It is read with a plus, since callers always give the country code.
    func recipient(_ text: String, for tenant: Tenant, _ field: String) throws(OtplessError) -> Recipient {
        do throws(SendRefusal) { return try backend.recipient(Self.withPlus(text), for: tenant) } catch {
            throw OtplessError(error, number: field)
        }
    }

    /// The address of an order that has no number.
    func mailbox(of order: CodeOrder) throws(OtplessError) -> EmailAddress {
        guard let text = order.email else { throw .noTarget }
        guard order.mayBeEmail else { throw .noEmail }
        do throws(EmailRefusal) { return try engine.emails.read(text) } catch {
            switch error {
            case .noWay: throw .noEmail
            case .malformed: throw .field(FieldDefect("email", "is not an e-mail address"))
            case .notServed(let reason): throw .field(FieldDefect("email", "is not served: \(reason)"))
            }
        }
    }

    /// The number of a request that a call names. It may be closed by now.
    /// - Throws: `.field`, `.numberRefused`.
    func number(
        _ text: String, for tenant: Tenant, _ field: String = "phoneNumber"
    ) throws(OtplessError) -> PhoneNumber {
        do throws(SendRefusal) { return try backend.read(Self.withPlus(text), for: tenant.id).number } catch {
            throw OtplessError(error, number: field)
        }
    }

    static func withPlus(_ text: String) -> String {
        hasPlus(text) ? text : "+" + text
    }

    static func hasPlus(_ text: String) -> Bool {
        text.utf8.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "+")
    }

    func carriers(
        of order: CodeOrder, toMailbox: Bool
    ) throws(OtplessError) -> [OutgoingMessage.Channel]? {
        guard let named = order.channels else { return nil }
        var carriers: [OutgoingMessage.Channel] = []
        for channel in named {
            let carrier = channel.carrier
            // Nobody can open what a voice reads out.
            guard (carrier == .email) == toMailbox, carries(carrier), carrier != .voice || order.link == nil else {
                throw .channelNotEnabled(field: order.channelsField)
            }
            carriers.append(carrier)
        }
        return carriers
    }
}
