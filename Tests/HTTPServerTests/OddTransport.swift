@testable import HTTPServer

/// Transport of the bytes between a test's client and its server.
enum TestTransport: CaseIterable {
    case plain
    case odd
    case tls

    var make: ConnectionTransport.Maker {
        switch self {
        case .plain: ConnectionTransport.makePlain
        case .odd: { .layered(OddTransport($0)) }
        case .tls: TLSFixture.make(TLSFixture.listening)
        }
    }
}

/// A frame of the protocol that `OddTransport` speaks: its kind, the length of its content, and the content, each byte
/// of it exclusive-or the key.
enum OddFrame {
    /// Begins the handshake; the server says `welcome`.
    static let hello: UInt8 = 1
    static let welcome: UInt8 = 2
    static let data: UInt8 = 3
    /// The client's data has the next key from here on. The server says `renewed`, and reads on only after that.
    static let renew: UInt8 = 4
    static let renewed: UInt8 = 5
    static let end: UInt8 = 6

    static let firstKey: UInt8 = 0x5A
    static let maxContent = 200

    static func frame(_ kind: UInt8, _ content: ArraySlice<UInt8> = [], key: UInt8 = firstKey) -> [UInt8] {
        [kind, UInt8(content.count)] + content.map { $0 ^ key }
    }

    /// Takes the first frame from `bytes`; `nil` while it is not complete.
    static func take(from bytes: inout [UInt8]) -> (kind: UInt8, content: [UInt8])? {
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        defer { bytes.removeFirst(2 + Int(bytes[1])) }
        return (bytes[0], Array(bytes[2..<(2 + Int(bytes[1]))]))
    }
}

/// A transport that does all that TLS may do, and more often.
///
/// It begins with a handshake, hands input out in odd pieces and holds the rest, has to write in the middle of reading,
/// never writes but when the loop says that it may, takes little output at a time, and has an end of its own.
final class OddTransport: Transport {
    let descriptor: Int32
    let channel: SecureChannel? = nil
    private(set) var isInHandshake = true
    /// Received, not yet opened.
    private var sealed: [UInt8] = []
    /// Opened, not yet read.
    private var opened: [UInt8] = []
    private var inputKey = OddFrame.firstKey
    /// The peer's own end has come, and then been read.
    private var inputHasEnd = false
    private var endIsRead = false
    private var isBroken = false
    private var pieces = 0
    /// To be written, and how many bytes of HTTP are in each frame that the peer may not have taken.
    private var outgoing: [UInt8] = []
    private var frames: [(wireEnd: Int, bytes: Int)] = []
    private var takenWireBytes = 0
    private var writtenWireBytes = 0
    private var isAnswering = false
    private var isFinishing = false

    private static let pieceSizes = [1, 3, 7, 40, 1000, 2]
    private static let maxOpened = 4096
    private static let maxOutgoing = 4096

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    // MARK: Reading

    func receive(into buffer: inout [UInt8]) -> Socket.Outcome {
        takeInput()
        if !opened.isEmpty {
            pieces += 1
            let size = min(OddTransport.pieceSizes[pieces % OddTransport.pieceSizes.count], opened.count)
            buffer.replaceSubrange(..<size, with: opened[..<size])
            opened.removeFirst(size)
            return .done(size)
        }
        if isBroken { return .failed(0) }
        guard inputHasEnd else { return .wouldBlock }
        endIsRead = true
        return .done(0)
    }

    private func takeInput() {
        openFrames()
        var received = [UInt8](repeating: 0, count: 3000)
        while wantsRead, !inputHasEnd, !isBroken {
            switch Socket.receive(descriptor, into: &received) {
            // An end of the socket before that of the protocol: something was cut off.
            case .done(0), .failed: isBroken = true
            case .done(let count): sealed += received[..<count]
            case .wouldBlock: return
            }
            openFrames()
        }
    }

    private func openFrames() {
        while wantsRead, let (kind, content) = OddFrame.take(from: &sealed) {
            switch kind {
            case OddFrame.hello where isInHandshake: answer(OddFrame.welcome)
            case OddFrame.data where !isInHandshake: opened += content.map { $0 ^ inputKey }
            case OddFrame.renew where !isInHandshake:
                inputKey &+= 1
                // Nothing may follow our own end; the socket may be shut for writing.
                if !isFinishing { answer(OddFrame.renewed) }
            case OddFrame.end: inputHasEnd = true
            default: isBroken = true
            }
        }
    }

    private func answer(_ kind: UInt8) {
        put(OddFrame.frame(kind), bytes: 0)
        isAnswering = true
    }

    // MARK: Writing

    func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome {
        guard !isInHandshake, outgoing.count < OddTransport.maxOutgoing else { return .wouldBlock }
        var taken = 0
        while taken < bytes.count - offset, outgoing.count < OddTransport.maxOutgoing {
            let content = bytes[(offset + taken)...].prefix(OddFrame.maxContent)
            put(OddFrame.frame(OddFrame.data, content), bytes: content.count)
            taken += content.count
        }
        return .done(taken)
    }

    private func put(_ frame: [UInt8], bytes: Int) {
        outgoing += frame
        takenWireBytes += frame.count
        frames.append((takenWireBytes, bytes))
    }

    func flush() -> Bool {
        if !outgoing.isEmpty {
            switch Socket.send(descriptor, outgoing, from: 0) {
            case .done(let count):
                outgoing.removeFirst(count)
                writtenWireBytes += count
            case .wouldBlock: return true
            case .failed: return false
            }
        }
        guard outgoing.isEmpty else { return true }
        if isFinishing { Socket.finishSending(descriptor) }
        if isAnswering {
            isAnswering = false
            isInHandshake = false
            // Frames that came behind the question wait here; the socket says nothing of them.
            openFrames()
        }
        return true
    }

    func finishSending() {
        guard !isFinishing else { return }
        guard !isInHandshake else {
            Socket.finishSending(descriptor)
            return
        }
        isFinishing = true
        put(OddFrame.frame(OddFrame.end), bytes: 0)
    }

    func resetOnClose() { Socket.resetOnClose(descriptor) }
    func close() { Socket.close(descriptor) }

    // MARK: What it needs and holds

    var wantsRead: Bool { !isAnswering && opened.count < OddTransport.maxOpened }
    var wantsWrite: Bool { !outgoing.isEmpty }
    var hasInput: Bool { !opened.isEmpty || isBroken || inputHasEnd && !endIsRead }
    var unsentBytes: Int { bytes(behind: writtenWireBytes) }
    var undeliveredBytes: Int { bytes(behind: writtenWireBytes - Socket.unsentBytes(descriptor)) }
    var heldBytes: Int { sealed.count + opened.count + outgoing.count }

    /// The peer takes frames in order, so those that are not taken are the last ones.
    private func bytes(behind wirePosition: Int) -> Int {
        frames.reversed().prefix { $0.wireEnd > wirePosition }.reduce(0) { $0 + $1.bytes }
    }
}

/// The other side of an `OddTransport`.
final class OddPeer: TestPeer {
    private var sealed: [UInt8] = []
    private var key = OddFrame.firstKey
    private var isGreeted = false
    private var dataFrames = 0
    /// Questions of this side that the server has answered.
    private(set) var renewals = 0
    /// The server has ended its side properly.
    private(set) var sawEnd = false

    /// The first call begins with the hello, and every fifth frame is followed by another key.
    func seal(_ bytes: [UInt8]) -> [UInt8] {
        var output = isGreeted ? [] : OddFrame.frame(OddFrame.hello)
        isGreeted = true
        var rest = bytes[...]
        while !rest.isEmpty {
            output += OddFrame.frame(OddFrame.data, rest.prefix(OddFrame.maxContent), key: key)
            rest = rest.dropFirst(OddFrame.maxContent)
            dataFrames += 1
            if dataFrames % 5 == 0 {
                output += OddFrame.frame(OddFrame.renew)
                key &+= 1
            }
        }
        return output
    }

    func open(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        sealed += bytes
        var output: [UInt8] = []
        while let (kind, content) = OddFrame.take(from: &sealed) {
            switch kind {
            case OddFrame.data: output += content.map { $0 ^ OddFrame.firstKey }
            case OddFrame.renewed: renewals += 1
            case OddFrame.end: sawEnd = true
            default: break
            }
        }
        return output
    }

    var end: [UInt8] { seal([]) + OddFrame.frame(OddFrame.end) }
}
