internal import COpenSSL
internal import HTTPServer

/// TLS on one connection: OpenSSL between the HTTP engine and a socket.
///
///     silent --first byte--> handshake --both agree--> open --end of the peer--> ended
///        |                       |                       |
///        +---- no TLS, an alert, a broken record --------+--> broken
///
/// OpenSSL reads its input from the socket and never waits for room: its output is collected and sent as the socket
/// takes it. OpenSSL's state is created with the first byte: a silent connection costs only a descriptor.
final class TLSTransport: Transport {
    private enum Stage {
        case silent, handshake, open, ended, broken
    }

    let descriptor: Int32
    private(set) var channel: SecureChannel?
    private let context: TLSContext
    private let figures: TLSFigures
    private var stage = Stage.silent
    /// OpenSSL's connection, and the buffer between it and the socket. Both exist from the first byte to `close`.
    private var connection: OpaquePointer?
    private var wire: UnsafeMutablePointer<copenssl_wire>?
    /// The next `receive` returns something that the socket does not report.
    private var mayHaveInput = false
    /// Total bytes that the connection had received when it last returned bytes of HTTP.
    private var receivedAtLastInput = 0
    /// Bytes of HTTP that were encrypted last and may still be unsent, and the position of their end in the total
    /// output.
    private var sealedBytes = 0
    private var sealedEnd = 0
    private var isFinishing = false
    private var isSocketShut = false

    /// Bytes read at once. Limited, so that one peer does not delay the others.
    private static let maxReadBytes = 64 * 1024
    /// Bytes that a peer may send without any HTTP data: handshakes, new keys, alerts. A record has at most 16 KiB, a
    /// handshake with a certificate chain not much more.
    private static let maxSilentBytes = 64 * 1024
    /// The maximum content of a record.
    private static let recordBytes = 16 * 1024
    /// Bytes of waiting output. Above this limit nothing is encrypted, and nothing is read that might need an answer.
    private static let maxPendingBytes = 64 * 1024
    /// The most bytes encrypted in one call. The loop's other connections wait for it, 0.1 ms.
    private static let maxSealedBytes = 256 * 1024

    init(_ descriptor: Int32, _ context: TLSContext, _ figures: TLSFigures) {
        self.descriptor = descriptor
        self.context = context
        self.figures = figures
    }

    deinit { SSL_free(connection) }

    // MARK: Reading

    func receive(into buffer: inout [UInt8]) -> Socket.Outcome {
        guard pendingBytes < TLSTransport.maxPendingBytes else { return .wouldBlock }
        if stage == .silent, let outcome = begin(&buffer) { return outcome }
        if stage == .handshake, let outcome = shakeHands(&buffer) { return outcome }
        switch stage {
        case .silent, .handshake: return .wouldBlock
        case .open: return read(&buffer)
        case .ended:
            mayHaveInput = false
            return .done(0)
        case .broken: return end(&buffer)
        }
    }

    /// The first bytes have arrived. `nil`: the handshake begins.
    private func begin(_ buffer: inout [UInt8]) -> Socket.Outcome? {
        connection = SSL_new(context.context)
        guard let connection else { return fail(.failed, &buffer) }
        wire = copenssl_wire_new(connection, descriptor)
        guard wire != nil else { return fail(.failed, &buffer) }
        SSL_set_accept_state(connection)
        stage = .handshake
        return nil
    }

    /// Sends a hint to a client that speaks HTTP without TLS.
    private func answerPlainly() {
        _ = Socket.send(descriptor, TLSTransport.plainAnswer, from: 0)
    }

    private static let plainAnswer: [UInt8] = {
        let text = "this port speaks TLS: use https\n"
        return Array(
            """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Cache-Control: no-store\r
            Connection: close\r
            \r
            \(text)
            """.utf8)
    }()

    /// Continues the handshake. `nil`: it is complete, and input after it can be read.
    private func shakeHands(_ buffer: inout [UInt8]) -> Socket.Outcome? {
        guard let connection, let wire else { return fail(.failed, &buffer) }
        wire.pointee.allowance = TLSTransport.maxReadBytes
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        let error = SSL_get_error(connection, result)
        guard copenssl_wire_send(wire) >= 0 else { return fail(.gone, &buffer) }
        if result == 1 {
            stage = .open
            channel = context.channel(of: connection)
            figures.count(SSL_session_reused(connection) == 1 ? .resumed : .full)
            receivedAtLastInput = wire.pointee.received
            mayHaveInput = SSL_has_pending(connection) == 1
            return mayHaveInput ? nil : .wouldBlock
        }
        let wrongByte = wire.pointee.wrong_first_byte
        guard wrongByte == 0 else {
            if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= UInt8(truncatingIfNeeded: wrongByte) { answerPlainly() }
            return fail(.noTLS, &buffer)
        }
        guard error == SSL_ERROR_WANT_READ, !isSilentForTooLong else {
            return fail(wire.pointee.has_ended == 1 ? .gone : .failed, &buffer)
        }
        return .wouldBlock
    }

    private func read(_ buffer: inout [UInt8]) -> Socket.Outcome {
        guard let connection, let wire else { return .failed(0) }
        wire.pointee.allowance = TLSTransport.maxReadBytes
        mayHaveInput = false
        var count = 0
        ERR_clear_error()
        while count < buffer.count, stage == .open {
            var opened = 0
            let result = buffer.withUnsafeMutableBytes { bytes in
                SSL_read_ex(connection, bytes.baseAddress.map { $0 + count }, bytes.count - count, &opened)
            }
            guard result == 1 else {
                switch SSL_get_error(connection, result) {
                case SSL_ERROR_WANT_READ: break
                case SSL_ERROR_ZERO_RETURN: stage = .ended
                default: stage = .broken
                }
                break
            }
            count += opened
            // Reading the socket again would cost a call; the loop reports when there is more.
            guard SSL_has_pending(connection) == 1 else { break }
            mayHaveInput = count == buffer.count
        }
        // Sends answers to new keys, or an alert.
        if copenssl_wire_send(wire) < 0 { stage = .broken }
        // Counted here: after good bytes before the damage, this may be the last call.
        if stage == .broken { figures.count(.brokenLater) }
        if count > 0 {
            receivedAtLastInput = wire.pointee.received
            if stage != .open { mayHaveInput = true }
            return .done(count)
        }
        if stage == .ended { return .done(0) }
        if stage == .broken { return end(&buffer) }
        return isSilentForTooLong ? fail(.brokenLater, &buffer) : .wouldBlock
    }

    private var isSilentForTooLong: Bool {
        guard let wire else { return false }
        return wire.pointee.received - receivedAtLastInput > TLSTransport.maxSilentBytes
    }

    private func fail(_ outcome: TLSFigures.Outcome, _ buffer: inout [UInt8]) -> Socket.Outcome {
        figures.count(outcome)
        return end(&buffer)
    }

    /// Ends the connection. The alert with the reason is already with the socket. The peer's input is read first,
    /// because a close with unread input would be a reset and overtake the alert.
    private func end(_ buffer: inout [UInt8]) -> Socket.Outcome {
        stage = .broken
        mayHaveInput = false
        // A peer that has ended its side has sent everything.
        if wire?.pointee.has_ended != 1 {
            _ = Socket.receive(descriptor, into: &buffer)
            Socket.finishSending(descriptor)
        }
        return .failed(0)
    }

    // MARK: Writing

    func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome {
        guard let connection, let wire, stage == .open || stage == .ended, !isFinishing else {
            return stage == .broken ? .failed(0) : .wouldBlock
        }
        guard pendingBytes == 0 else { return .wouldBlock }
        let most = min(bytes.count - offset, TLSTransport.maxSealedBytes)
        var taken = 0
        while taken < most {
            let start = taken
            while taken < most, pendingBytes < TLSTransport.maxPendingBytes {
                let size = min(TLSTransport.recordBytes, most - taken)
                var sealed = 0
                ERR_clear_error()
                let result = bytes.withUnsafeBytes {
                    SSL_write_ex(connection, $0.baseAddress.map { $0 + offset + taken }, size, &sealed)
                }
                guard result == 1, sealed == size else {
                    stage = .broken
                    return .failed(0)
                }
                taken += sealed
            }
            sealedBytes = taken - start
            sealedEnd = wire.pointee.put
            switch copenssl_wire_send(wire) {
            case 1: continue
            case 0: return .done(taken)
            default: return .failed(0)
            }
        }
        return .done(taken)
    }

    func flush() -> Bool {
        guard let wire else { return true }
        guard copenssl_wire_send(wire) >= 0 else { return false }
        if isFinishing { shutSocketWhenSent() }
        return true
    }

    // MARK: Ending

    func finishSending() {
        guard !isFinishing else { return }
        isFinishing = true
        if let connection, let wire, stage == .open || stage == .ended {
            ERR_clear_error()
            _ = SSL_shutdown(connection)
            wire.pointee.discards = 1
            _ = copenssl_wire_send(wire)
        }
        shutSocketWhenSent()
    }

    private func shutSocketWhenSent() {
        guard pendingBytes == 0, !isSocketShut else { return }
        isSocketShut = true
        Socket.finishSending(descriptor)
    }

    func resetOnClose() { Socket.resetOnClose(descriptor) }

    func close() {
        // Also counts a reset, the deadline, and a server shutdown. A silent connection that was refused for lack of
        // room is not counted.
        if stage == .handshake || stage == .silent && !isFinishing { figures.count(.gone) }
        SSL_free(connection)
        connection = nil
        wire = nil
        stage = .broken
        mayHaveInput = false
        Socket.close(descriptor)
    }

    // MARK: State for the loop

    private var pendingBytes: Int { wire.map { copenssl_wire_pending($0) } ?? 0 }

    var isInHandshake: Bool { stage == .silent || stage == .handshake }
    var wantsRead: Bool { pendingBytes < TLSTransport.maxPendingBytes }
    var wantsWrite: Bool { pendingBytes > 0 }
    var hasInput: Bool { mayHaveInput && wantsRead }
    // All bytes of the last call count as unsent until less output than that is waiting.
    var unsentBytes: Int { min(sealedBytes, pendingBytes) }

    /// Bytes on the wire, from the first that the peer has not taken to the last that carries HTTP.
    var undeliveredBytes: Int {
        guard let wire else { return 0 }
        let untaken = pendingBytes + Socket.unsentBytes(descriptor)
        return max(0, untaken - (wire.pointee.put - sealedEnd))
    }

    var heldBytes: Int {
        guard let wire, let connection else { return 0 }
        // OpenSSL holds a record buffer only while it contains part of a record.
        return wire.pointee.capacity + (SSL_has_pending(connection) == 1 ? TLSTransport.recordBytes : 0)
    }
}
