internal import CCurl
internal import Locks
internal import Text

/// The system's name look-up. Each look-up has its own thread, which ends with it.
enum SystemNames {
    /// Most addresses used of one name.
    private static let mostAddresses = 16

    static let lookUp: NameLookup = { name, answer in
        if !BackgroundThread.start(.equal, { answer(addresses(of: name)) }) { answer([]) }
    }

    /// Blocks the calling thread for as long as the name's servers take.
    private static func addresses(of name: String) -> [IPAddress] {
        var found: [IPAddress] = []
        withUnsafeMutablePointer(to: &found) { found in
            ccurl_look_up(name, found) { owner, start, count in
                guard let owner, let start else { return }
                let found = owner.assumingMemoryBound(to: [IPAddress].self)
                let bytes = UnsafeBufferPointer(start: start, count: count)
                let address =
                    count == 4 ? IPAddress(ipv4: (bytes[0], bytes[1], bytes[2], bytes[3])) : IPAddress(ipv6: bytes)
                if let address, found.pointee.count < SystemNames.mostAddresses { found.pointee.append(address) }
            }
        }
        return found
    }
}
