internal import Machine
internal import StrictJSON

/// Result of a run, in one line for `scripts/simulate`.
struct Report {
    let line: String

    init(_ world: World, seed: UInt64, began: UInt64) {
        let machine = machine_get_figures()
        let figures = world.figures
        var object = JSONObject()
        object.set("seed", Int64(clamping: seed))
        object.set("trace", String(machine_trace_hash(), radix: 16))
        object.set("virtualSeconds", Int64((machine_now() - began) / 1_000_000_000))
        var machinePart = JSONObject()
        for (name, value) in [
            ("steps", machine.steps), ("preemptions", machine.preemptions), ("file calls", machine.file_calls),
            ("syncs", machine.syncs), ("faults injected", machine.faults), ("sectors lost", machine.lost_sectors),
            ("unsynced sectors kept", machine.kept_sectors),
        ] { machinePart.set(name, Int64(clamping: value)) }
        object.set("machine", machinePart)
        var worldPart = JSONObject()
        for (name, value) in [
            ("calls", figures.calls), ("answers", figures.answers), ("sessions", figures.sessions),
            ("successes", figures.successes), ("windows", figures.windows),
            ("requests", figures.requests), ("codes of links redeemed", figures.redeemed),
            ("messages moved on", world.carrier.ways.movedOn), ("requests without a channel left", figures.exhausted),
            ("processes", figures.processes), ("activations", world.activations.count),
            ("good signatures", figures.signatures),
            ("histories put in order", figures.histories),
            ("starts", world.lives), ("kills", figures.kills), ("power losses", figures.powerLosses),
            ("stops in good order", figures.restarts), ("fatal stops", figures.fatalStops),
            ("clock steps", figures.clockSteps), ("foreign readers", figures.foreignReaders),
        ] { worldPart.set(name, value) }
        object.set("world", worldPart)
        object.set("broken", world.promises.broken)
        line = String(decoding: object.serialized(), as: UTF8.self)
    }
}
