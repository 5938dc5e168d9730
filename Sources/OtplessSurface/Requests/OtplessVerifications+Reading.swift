internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Finds requests, and reads the numbers, addresses and channels that callers name.
extension OtplessVerifications {
    /// Finds a request by the name that its backend uses. If no request has the text as its id, it is looked up as the
    /// backend's own `orderId`.
    /// - Throws: as `find` for a key.
    func find(_ name: RequestName, for tenant: Tenant) async throws(OtplessError) -> Session {
        if let id = name.id, let found = try await session(.correlation(id), for: tenant) { return found }
        guard let found = try await session(.named(name.own(engine.crypto.keyed)), for: tenant) else {
            throw name.unknown
        }
        return found
    }

    /// Reads a request. If its silent proof can no longer succeed, the proof is ended and stored first, so that the
    /// result is final.
    /// - Throws: `.unknownRequest`: also if the request belongs to another client or another surface.
    func find(_ key: SessionKey, for tenant: Tenant) async throws(OtplessError) -> Session {
        guard let found = try await session(key, for: tenant) else { throw .unknownRequest }
        return found
    }

    private func session(_ key: SessionKey, for tenant: Tenant) async throws(OtplessError) -> Session? {
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

    /// The number for a message. Read as if it began with a plus, because callers always give the country code.
    func recipient(_ text: String, for tenant: Tenant, _ field: String) throws(OtplessError) -> Recipient {
        do throws(SendRefusal) { return try backend.recipient(Self.withPlus(text), for: tenant) } catch {
            throw OtplessError(error, number: field)
        }
    }

    /// The e-mail address of an order that has no number.
    func mailbox(of order: CodeOrder) throws(OtplessError) -> EmailAddress {
        guard let text = order.email else { throw .noTarget }
        guard order.mayBeEmail else { throw .noEmail }
        do throws(EmailRefusal) { return try engine.network.emails.read(text) } catch {
            switch error {
            case .noWay: throw .noEmail
            case .malformed: throw .field(FieldDefect("email", "is not an e-mail address"))
            case .notServed(let reason): throw .field(FieldDefect("email", "is not served: \(reason)"))
            }
        }
    }

    /// The number that a call names to find a request. Messages to it may be closed by now.
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
            // A link cannot be opened from a voice call.
            guard (carrier == .email) == toMailbox, carries(carrier), carrier != .voice || order.link == nil else {
                throw .channelNotEnabled(field: order.channelsField)
            }
            carriers.append(carrier)
        }
        return carriers
    }
}
