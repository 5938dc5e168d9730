import Engine
import Possession
import TestSupport
import Testing

@testable import Records

/// A queued message in its row.
@Suite struct OutboundMessageTests {
    private static let id = MessageID(high: 0x1900_0000_0000_7005, low: 1)
    private static let session = CorrelationID(high: 0x1900_0000_0000_7000, low: 1)
    private static let other = PhoneNumber(e164: "+12001004015")!
    private static let until = Sample.now.adding(.seconds(120))
    private static let digest = OTPDigest([UInt8](repeating: 7, count: 32))
    private static let link = LinkDigest([UInt8](repeating: 8, count: 32))

    private static let contents: [Session.PendingMessage.Content] = [
        .code(OTP("0123456789")!, digest: digest, after: .idle),
        .code(OTP("1234")!, digest: digest, after: .waiting(OTPDigest([1]), expiresAt: Sample.now)),
        .code(OTP("1234")!, digest: digest, after: .waiting(OTPDigest([]), expiresAt: Sample.now)),
        .code(OTP("1234")!, digest: digest, after: .expired(at: Sample.now)),
        .link(token: "t-1", digest: link, after: LinkCheck()),
        .link(
            token: "t-1", digest: link,
            after: LinkCheck(
                state: .waiting(expiresAt: Sample.now), digest: LinkDigest([2]), sentAt: Sample.now,
                waitUntil: Sample.now, matchCode: "42", browser: "Firefox on Linux")),
    ]
    private static let places: [Session.PendingMessage.Place] =
        Session.Step.allCases.map { .first(from: $0) } + [.again, .toNumber(from: nil), .toNumber(from: other)]
    private static let retry = RetryKey(path: "/otp", requestID: "r-1", body: BodyDigest([1, 2]))

    private func message(
        _ content: Session.PendingMessage.Content = contents[1], _ place: Session.PendingMessage.Place = .again,
        retry: RetryKey? = retry, avoids: [ExcludedRoute] = []
    ) -> OutboundMessage {
        OutboundMessage(
            id: Self.id, correlationID: Self.session,
            pending: Session.PendingMessage(
                to: .number(Sample.number), content: content, place: place, usefulUntil: Self.until, sendsLeft: 2,
                triesLeft: 3),
            retry: retry, avoids: avoids)
    }

    private func read(_ sealed: [UInt8], id: MessageID = id, of session: CorrelationID = session) throws
        -> OutboundMessage
    {
        try OutboundMessage(id: id, correlationID: session, sealed: sealed, with: .fake)
    }

    @Test func `gives back whatever a message may hold`() throws {
        for content in Self.contents {
            for place in Self.places {
                for retry in [nil, Self.retry] {
                    let message = message(content, place, retry: retry)
                    #expect(try read(message.sealed(with: .fake)) == message)
                }
            }
        }
    }

    @Test func `gives back by which ways it must not go`() throws {
        let message = message(
            avoids: [
                ExcludedRoute("one", .whatsapp), ExcludedRoute("one", .sms), ExcludedRoute("two"),
                ExcludedRoute(every: .viber),
            ])
        #expect(try read(message.sealed(with: .fake)) == message)
    }

    /// Version 3 named gateways only, and version 2 no channel of the message either.
    @Test(arguments: [2, 3]) func `reads the gateways of an older version as theirs on every channel`(
        version: Int
    ) throws {
        let column = OutboundMessage.Column.message
        let context = SealingContext(column.name, row: Self.session, Self.id.text).bytes
        let message = message(avoids: [ExcludedRoute("one"), ExcludedRoute("two")])
        var bytes = try Sealing.fake.open(try message.sealed(with: .fake), context)
        // At the end: each name with its length and no channel, then no channel of the message.
        let names: [[UInt8]] = ["one", "two"].map { [4] + Array($0.utf8) }
        let tail: [UInt8] = names.map { $0 + [0] }.joined() + [0]
        #expect(Array(bytes.suffix(tail.count)) == tail)
        bytes.removeLast(tail.count)
        bytes += names.joined()
        if version == 3 { bytes.append(0) }
        bytes[0] = UInt8(version)
        #expect(try read(try Sealing.fake.seal(bytes, context)) == message)
    }

    @Test func `gives back a message to an address`() throws {
        let target = Target.email(try #require(EmailAddress("Ada@example.com")))
        let message = OutboundMessage(
            id: Self.id, correlationID: Self.session,
            pending: Session.PendingMessage(
                to: target, content: Self.contents[0], place: .again, usefulUntil: Self.until, channel: .email,
                sendsLeft: 2, triesLeft: 3))
        let again = try read(message.sealed(with: .fake))
        #expect(again == message && again.pending.to.text == "Ada@example.com")
    }

    @Test func `opens in its own row only, and tells of any damage`() throws {
        let sealed = try message().sealed(with: .fake)
        #expect(throws: StorageFault.self) { try read(sealed, id: MessageID(bits: 1)) }
        #expect(throws: StorageFault.self) { try read(sealed, of: CorrelationID(bits: 1)) }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: StorageFault.self) { try read(damaged) }
        }
        for count in sealed.indices { #expect(throws: StorageFault.self) { try read(Array(sealed[..<count])) } }
    }

    @Test func `holds every number that an erasure looks for`() {
        #expect(message().pending.targets == [.number(Sample.number)])
        #expect(message(Self.contents[0], .toNumber(from: nil)).pending.targets == [.number(Sample.number)])
        #expect(
            message(Self.contents[0], .toNumber(from: Self.other)).pending.targets == [
                .number(Sample.number), .number(Self.other),
            ])
    }
}
