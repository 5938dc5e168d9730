/// Finds the owner of a descriptor by the token that the event set reports.
///
/// A token combines a slot and the slot's generation. An event that was reported before its descriptor was closed finds
/// nothing, even if the slot has a new owner.
struct SlotTable {
    private struct Slot {
        var generation: UInt32
        var pollable: (any Pollable)?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    mutating func insert(_ pollable: any Pollable) -> UInt64 {
        if let index = free.popLast() {
            slots[index].pollable = pollable
            return token(index)
        }
        slots.append(Slot(generation: 0, pollable: pollable))
        return token(slots.count - 1)
    }

    mutating func remove(_ token: UInt64) {
        guard self[token] != nil else { return }
        let index = Int(token & 0xFFFF_FFFF)
        slots[index].pollable = nil
        // 31 bits, so that no token equals one of the poller's own.
        slots[index].generation = (slots[index].generation &+ 1) & 0x7FFF_FFFF
        free.append(index)
    }

    subscript(token: UInt64) -> (any Pollable)? {
        let index = Int(token & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].pollable
    }

    private func token(_ index: Int) -> UInt64 {
        UInt64(slots[index].generation) << 32 | UInt64(index)
    }
}
