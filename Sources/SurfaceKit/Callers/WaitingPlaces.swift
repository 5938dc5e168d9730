package import HTTPServer
internal import Locks
package import Text

/// Counts event streams and long polls, in total and by client address. They last for minutes, so they must leave
/// connections for all other calls. If addresses are limited, a network (`IPAddress.network`) may take as many places
/// as are still free, so that no network takes them all.
package final class WaitingPlaces: Sendable {
    private struct Taken {
        var all = 0
        var byAddress: [IPAddress: Int] = [:]
        var byNetwork: [IPAddress: Int] = [:]
        var refused = 0
    }

    package enum Refusal: Error, Equatable {
        /// One address or its network has reached its limit.
        case ofAddress
        case all
    }

    private let most: Int
    private let mostPerAddress: Int
    private let addresses: ClientAddress
    private let taken = Locked(Taken())

    /// - Parameter trustedProxies: behind them the forwarded address counts.
    package init(most: Int = .max, mostPerAddress: Int = .max, trustedProxies: AddressRanges = AddressRanges()) {
        self.most = most
        self.mostPerAddress = mostPerAddress
        addresses = ClientAddress(trustedProxies: trustedProxies)
    }

    /// One place, held until `giveBack` or until the value is released.
    package final class Place: Sendable {
        private let places: WaitingPlaces
        private let address: IPAddress?
        private let isHeld = Locked(true)

        fileprivate init(_ places: WaitingPlaces, _ address: IPAddress?) {
            self.places = places
            self.address = address
        }

        deinit { giveBack() }

        package func giveBack() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { places.release(address) }
        }
    }

    /// - Throws: when no place is left. A caller without a known address counts only in the total.
    package func take(for request: Request) throws(Refusal) -> Place {
        let address = addresses.of(request)?.network64
        let refusal: Refusal? = taken.withLock { taken in
            let ofAddress = address.map { taken.byAddress[$0, default: 0] } ?? 0
            let ofNetwork = address.map { taken.byNetwork[$0.network, default: 0] } ?? 0
            let hasRoom = ofAddress < mostPerAddress && (mostPerAddress >= most || ofNetwork < most - taken.all)
            guard taken.all < most, hasRoom else {
                taken.refused += 1
                return taken.all < most ? .ofAddress : .all
            }
            taken.all += 1
            if let address {
                taken.byAddress[address] = ofAddress + 1
                taken.byNetwork[address.network] = ofNetwork + 1
            }
            return nil
        }
        if let refusal { throw refusal }
        return Place(self, address)
    }

    private func release(_ address: IPAddress?) {
        taken.withLock { taken in
            taken.all -= 1
            guard let address, let ofAddress = taken.byAddress[address] else { return }
            taken.byAddress[address] = ofAddress > 1 ? ofAddress - 1 : nil
            let ofNetwork = taken.byNetwork[address.network, default: 0]
            taken.byNetwork[address.network] = ofNetwork > 1 ? ofNetwork - 1 : nil
        }
    }

    /// How many are waiting, and how many were refused since the start.
    package var figures: (waiting: Int, refused: Int) { taken.withLock { ($0.all, $0.refused) } }
}
