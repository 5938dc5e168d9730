import Foundation
import Glibc
import Locks

/// A TCP proxy on loopback that cuts connections after a number of bytes in one direction. Both sides see the connection
/// end.
final class CutWire: Sendable {

    enum Direction: CaseIterable { case toServer, toClient }

    struct Cut: Sendable {
        let direction: Direction
        let bytes: Int
    }

    private let listener: Int32
    private let target: UInt16
    let port: UInt16
    /// Where a connection is cut, and how many bytes have passed to the server and to the client.
    private struct Plan: Sendable {
        var cut: Cut?
        var passed = [0, 0]
    }

    /// The plan of all connections, if each has none of its own.
    private let plan = Locked(Plan())
    private let cuts: (@Sendable (_ connection: Int) -> Cut)?

    /// - Parameters:
    ///   - target: port on loopback.
    ///   - cuts: where each connection is cut, by its number; `nil`: `cut(_:)` says it.
    init(to target: UInt16, cuts: (@Sendable (_ connection: Int) -> Cut)? = nil) throws {
        self.target = target
        self.cuts = cuts
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = CutWire.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(listener, plain, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, plain, &length) == 0
            }
        }
        guard bound else { throw CocoaError(.fileReadUnknown) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends the proxy, but not its connections.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Cuts the current connection after more bytes, once.
    func cut(_ cut: Cut?) { plan.withLock { $0 = Plan(cut: cut) } }

    /// Bytes that passed since the last call of `cut`.
    func passed(_ direction: Direction) -> Int { plan.withLock { $0.passed[direction == .toServer ? 0 : 1] } }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        for number in 0... {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                Glibc.close(listener)
                return
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = CutWire.address(target)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            let plan = cuts.map { Locked(Plan(cut: $0(number))) } ?? plan
            let ends = Locked(0)
            for (from, to, direction) in [(client, server, Direction.toServer), (server, client, .toClient)] {
                Thread.detachNewThread { [self] in
                    pass(from, to, direction, plan)
                    shutdown(from, Int32(SHUT_RDWR))
                    shutdown(to, Int32(SHUT_RDWR))
                    let isLast = ends.withLock { ends in
                        ends += 1
                        return ends == 2
                    }
                    guard isLast else { return }
                    Glibc.close(client)
                    Glibc.close(server)
                }
            }
        }
    }

    private func pass(_ from: Int32, _ to: Int32, _ direction: Direction, _ plan: Locked<Plan>) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            let (allowed, isCut) = plan.withLock { plan -> (Int, Bool) in
                let place = direction == .toServer ? 0 : 1
                var allowed = count
                var isCut = false
                if let cut = plan.cut, cut.direction == direction, plan.passed[place] + count >= cut.bytes {
                    allowed = max(0, cut.bytes - plan.passed[place])
                    isCut = true
                    plan.cut = nil
                }
                plan.passed[place] += allowed
                return (allowed, isCut)
            }
            var sent = 0
            while sent < allowed {
                let written = buffer.withUnsafeBytes {
                    send(to, $0.baseAddress! + sent, allowed - sent, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
            if isCut { return }
        }
    }
}
