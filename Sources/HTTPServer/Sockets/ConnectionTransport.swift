/// The transport of a connection.
///
/// An enumeration, so that the calls of a plain one are direct and inlined.
enum ConnectionTransport: Transport {
    /// Makes the transport of a new connection from its descriptor.
    typealias Maker = @Sendable (Int32) -> ConnectionTransport

    case plain(PlainTransport)
    /// A transport with its own protocol.
    case layered(any Transport & AnyObject)

    /// Makes plain transports.
    static let makePlain: Maker = { .plain(PlainTransport(descriptor: $0)) }

    var descriptor: Int32 {
        switch self {
        case .plain(let transport): transport.descriptor
        case .layered(let transport): transport.descriptor
        }
    }

    @inline(__always) func receive(into buffer: inout [UInt8]) -> Socket.Outcome {
        switch self {
        case .plain(let transport): transport.receive(into: &buffer)
        case .layered(let transport): transport.receive(into: &buffer)
        }
    }

    @inline(__always) func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome {
        switch self {
        case .plain(let transport): transport.send(bytes, from: offset)
        case .layered(let transport): transport.send(bytes, from: offset)
        }
    }

    @inline(__always) func flush() -> Bool {
        switch self {
        case .plain(let transport): transport.flush()
        case .layered(let transport): transport.flush()
        }
    }

    func finishSending() {
        switch self {
        case .plain(let transport): transport.finishSending()
        case .layered(let transport): transport.finishSending()
        }
    }

    func resetOnClose() {
        switch self {
        case .plain(let transport): transport.resetOnClose()
        case .layered(let transport): transport.resetOnClose()
        }
    }

    func close() {
        switch self {
        case .plain(let transport): transport.close()
        case .layered(let transport): transport.close()
        }
    }

    @inline(__always) var channel: SecureChannel? {
        switch self {
        case .plain(let transport): transport.channel
        case .layered(let transport): transport.channel
        }
    }

    @inline(__always) var isInHandshake: Bool {
        switch self {
        case .plain(let transport): transport.isInHandshake
        case .layered(let transport): transport.isInHandshake
        }
    }

    @inline(__always) var wantsRead: Bool {
        switch self {
        case .plain(let transport): transport.wantsRead
        case .layered(let transport): transport.wantsRead
        }
    }

    @inline(__always) var wantsWrite: Bool {
        switch self {
        case .plain(let transport): transport.wantsWrite
        case .layered(let transport): transport.wantsWrite
        }
    }

    @inline(__always) var hasInput: Bool {
        switch self {
        case .plain(let transport): transport.hasInput
        case .layered(let transport): transport.hasInput
        }
    }

    @inline(__always) var unsentBytes: Int {
        switch self {
        case .plain(let transport): transport.unsentBytes
        case .layered(let transport): transport.unsentBytes
        }
    }

    var undeliveredBytes: Int {
        switch self {
        case .plain(let transport): transport.undeliveredBytes
        case .layered(let transport): transport.undeliveredBytes
        }
    }

    @inline(__always) var heldBytes: Int {
        switch self {
        case .plain(let transport): transport.heldBytes
        case .layered(let transport): transport.heldBytes
        }
    }
}
