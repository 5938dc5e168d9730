/// A plain socket, without its own protocol.
struct PlainTransport: Transport {
    let descriptor: Int32

    func receive(into buffer: inout [UInt8]) -> Socket.Outcome { Socket.receive(descriptor, into: &buffer) }
    func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome { Socket.send(descriptor, bytes, from: offset) }
    func flush() -> Bool { true }
    func finishSending() { Socket.finishSending(descriptor) }
    func resetOnClose() { Socket.resetOnClose(descriptor) }
    func close() { Socket.close(descriptor) }

    var channel: SecureChannel? { nil }
    var isInHandshake: Bool { false }
    var wantsRead: Bool { true }
    var wantsWrite: Bool { false }
    var hasInput: Bool { false }
    var unsentBytes: Int { 0 }
    var undeliveredBytes: Int { Socket.unsentBytes(descriptor) }
    var heldBytes: Int { 0 }
}
