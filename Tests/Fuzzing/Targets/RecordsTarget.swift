@testable import Engine
@testable import Possession
@testable import Records

extension FuzzTarget {
    /// Stored records of every kind: the first byte says which. Whatever stands in a row is taken or refused; what is taken
    /// can be written, and is then read as the same value.
    static let records = FuzzTarget("records", maxBytes: 2048) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 8)
        do throws(StorageFault) {
            switch kind {
            case 0: try session(&choices, digest: nil)
            case 1: try session(&choices, digest: OTPDigest(choices.part()))
            case 2: try reply(Array(choices.rest))
            case 3: try message(Array(choices.rest))
            case 4: try person(Array(choices.rest))
            case 5: try details(Array(choices.rest))
            case 6: try key(Array(choices.rest))
            default: try tally(Array(choices.rest))
            }
        } catch {
            guard case .corrupt = error else { fatalError("does not hold: a fault names a column") }
        }
    }

    private static func session(_ choices: inout Choices, digest: OTPDigest?) throws(StorageFault) {
        let read = try Row.session(Array(choices.rest), digest)
        guard let record = try? SessionRecord(read, .open) else {
            fatalError("does not hold: what was read is written")
        }
        require(record.otpDigest == read.otp.awaitedDigests, "the digests stand beside the record")
        let again = SessionRecord(
            correlationID: record.correlationID, authID: record.authID, clientID: record.clientID,
            flowDigest: record.flowDigest, otpDigest: record.otpDigest, sealed: record.sealed)
        require((try? again.session(.open)) == read, "a session comes back")
        _ = read.brokenInvariant
    }

    private static func reply(_ bytes: [UInt8]) throws(StorageFault) {
        let body = BodyDigest([1])
        let read = try KeptReply(record: bytes, of: Row.any, requestBody: body)
        guard let written = try? read.record() else { fatalError("does not hold: what was read is written") }
        require((try? KeptReply(record: written, of: Row.any, requestBody: body)) == read, "a reply comes back")
    }

    private static func message(_ bytes: [UInt8]) throws(StorageFault) {
        let id = MessageID(high: 1, low: 2)
        let read = try OutboundMessage(id: id, correlationID: Row.any.correlationID, sealed: bytes, with: .open)
        guard let written = try? read.sealed(with: .open) else { fatalError("does not hold: what was read is written") }
        let again = try? OutboundMessage(id: id, correlationID: Row.any.correlationID, sealed: written, with: .open)
        require(again == read, "a message comes back")
    }

    private static func person(_ bytes: [UInt8]) throws(StorageFault) {
        let id = PersonID(high: 1, low: 2)
        let read = try SealedPerson.open(bytes, for: id, .open)
        guard let written = try? SealedPerson.seal(read.person, credentials: read.credentials, for: id, .open) else {
            fatalError("does not hold: what was read is written")
        }
        guard let again = try? SealedPerson.open(written, for: id, .open) else {
            fatalError("does not hold: what was written is read")
        }
        require(again == read, "a person comes back")
    }

    private static func details(_ bytes: [UInt8]) throws(StorageFault) {
        let id = HolderID(high: 1, low: 2)
        let read = try SealedDetails(bytes, with: .open, for: id)
        guard let written = try? read.sealed(with: .open, for: id) else {
            require(read == SealedDetails(), "only what is empty is not written")
            return
        }
        require((try? SealedDetails(written, with: .open, for: id)) == read, "details come back")
    }

    private static func key(_ bytes: [UInt8]) throws(StorageFault) {
        let row: [UInt8] = [3]
        let read = try SealedKey(bytes, with: .open, row: row)
        require(PhoneNumber(e164: read.number.e164) == read.number, "a number is one")
        var writer = RecordWriter(1...1)
        writer.identifier(read.id)
        writer.number(read.number)
        writer.text(read.clientCustomerID)
        writer.text(read.clientHumanID)
        guard let written = try? writer.finished("key"), let again = try? SealedKey(written, with: .open, row: row)
        else { fatalError("does not hold: what was read is written") }
        require(again.id == read.id && again.number == read.number, "a key comes back")
        require(again.clientCustomerID == read.clientCustomerID, "a key comes back")
        require(again.clientHumanID == read.clientHumanID, "a key comes back")
    }

    private static func tally(_ bytes: [UInt8]) throws(StorageFault) {
        let read = try LimitTally(record: bytes)
        require((try? LimitTally(record: read.record)) == read, "a tally comes back")
    }
}

/// The rows that records stand in.
private enum Row {
    static let ids = (
        correlation: CorrelationID(high: 0x1900_0000_0000_7000, low: 1),
        auth: AuthID(high: 0x1900_0000_0000_7001, low: 1)
    )

    static func session(_ bytes: [UInt8], _ digest: OTPDigest?) throws(StorageFault) -> Session {
        guard let client = ClientID("acme") else { throw .corrupt("client") }
        let record = SessionRecord(
            correlationID: ids.correlation, authID: ids.auth, clientID: client, flowDigest: nil, otpDigest: digest,
            sealed: bytes)
        return try record.session(.open)
    }

    /// The session that a reply was about.
    static let any: Session = {
        guard let session = try? session(recorded, nil) else { fatalError("the session of the fuzz targets is gone") }
        return session
    }()

    /// A session with every member set, as version 1 has written it.
    private static let recorded = bytes(
        """
        0181a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b32303031303034\
        3031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d3037\
        05363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6fc3ab3a\
        2023232323230a6c696e6b202323232304722d3104632d3104682d310604752d3102030181a0f1c2b134ad0203210404\
        04040404040404040404040404040404040404040404040404040404040402020202010205686173681768747470733a\
        2f2f612e6578616d706c652f6261636b0d2b313230303130303430313404111900000000007002000000000000000103\
        0206010d2b31323030313030343031340301021103030303030303030303030303030303020302010704050403050681\
        a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b313230303130303430313481a0f1c2b13403020205\
        39313333146c6f772053494d2074727573742073636f7265111900000000007002000000000000000181a0f1c2b13402\
        1119000000000070030000000000000001
        """)

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Sealing {
    /// No cipher: the fuzzer changes what a cipher would keep from being changed, and reads what stands in a row.
    fileprivate static let open = Sealing(
        seal: { bytes, _ in bytes }, open: { bytes, _ in bytes }, blindIndex: { Array($0.canonical.utf8) },
        deviceIndex: { Array($0.text.utf8) }, credentialIndex: { Array($0.value.utf8) }, limitKey: { $0.subject })
}
