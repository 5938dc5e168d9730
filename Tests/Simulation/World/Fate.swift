internal import Machine
internal import StrictJSON

/// The course of a run: callers, harm to the server and to its machine, and in the end the look at what is left.
struct Fate {
    let world: World

    init(_ world: World) { self.world = world }

    func begin() {
        Sim.spawn("fate") { live() }
    }

    private func live() {
        world.start()
        world.promises.require(world.server == .up, "the server starts on an empty disk")
        // Often for a moment, or seldom for long: some microseconds a lock in the mean, which is no load.
        let (often, longest) = Sim.pick([(0, 0), (400, 2_000_000), (4_000, 200_000), (12_000, 20_000)])
        machine_set_preemption(UInt32(often), UInt64(longest))
        setCalm()
        if Sim.onceIn(6) { machine_step_wall(-3_600_000) }
        let shop = Backend("shop", secret: "shop-secret", world: world)
        let bank = Backend("bank", secret: "bank-secret", world: world)
        let overseer = Operator(world)
        if world.settings.isOverloaded { Overload(world, shop).run() }
        let end = Sim.now + UInt64(Sim.draw(15...60)) * 1_000_000_000
        for person in 0..<Sim.draw(2...8) {
            let backend = person % 4 == 3 ? bank : shop
            Sim.spawn("person") {
                let number = "+1201555\(1000 + Sim.draw(50))"
                while Sim.now < end {
                    Visit(world: world, backend: backend, number: number).run()
                    Sim.sleep(milliseconds: Sim.draw(3_000))
                }
            }
        }
        for _ in 0..<Sim.draw(1...3) {
            Sim.spawn("window") {
                while Sim.now < end {
                    WindowVisit(world: world).run()
                    Sim.sleep(milliseconds: Sim.draw(3_000))
                }
            }
        }
        for _ in 0..<Sim.draw(1...3) {
            Sim.spawn("request") {
                while Sim.now < end {
                    RequestVisit(world: world).run()
                    Sim.sleep(milliseconds: Sim.draw(3_000))
                }
            }
        }
        for _ in 0..<Sim.draw(1...3) {
            Sim.spawn("process") {
                while Sim.now < end {
                    ProcessVisit(world: world).run()
                    Sim.sleep(milliseconds: Sim.draw(3_000))
                }
            }
        }
        Sim.spawn("receipts") {
            while true {
                world.tellReceipts()
                Sim.sleep(milliseconds: 100)
            }
        }
        while Sim.now < end {
            Sim.sleep(milliseconds: Sim.draw(world.settings.pause))
            strike(overseer, shop, bank)
            keepUp()
        }
        settle()
        Reckoning(world: world, backend: shop).look()
        machine_end()
    }

    // MARK: What happens

    private func strike(_ overseer: Operator, _ shop: Backend, _ bank: Backend) {
        switch Sim.draw(19) {
        case 0, 1: world.crash(losingPower: false)
        case 2, 3: world.crash(losingPower: true)
        case 4: world.stop()
        case 5: stepClock()
        case 6, 7: troubleDisk()
        case 8:
            world.calmSince = nil
            world.carrier.mood = Carrier.Mood(refuses: Sim.draw(6), isSlow: Sim.draw(4), lies: Sim.draw(8))
        case 9:
            world.carrier.mood = Carrier.Mood()
            setCalm()
        case 10: slowDisk()
        case 11:
            world.readFromOutside(seconds: Sim.draw(60))
            if Sim.onceIn(2) { for _ in 0..<3 { overseer.importPeople() } }
        case 12: overseer.rotateKeys()
        case 13: if Sim.onceIn(4) { overseer.revoke(bank) }
        case 14: overseer.erase("+1201555\(1000 + Sim.draw(50))")
        case 15: overseer.importPeople()
        case 16, 17:
            world.carrier.mood = Carrier.Mood()
            setCalm()
            burst(shop)
        default: setCalm()
        }
    }

    /// Some callers at the same time, and then nobody: what was overlooked has nothing that comes after it.
    private func burst(_ backend: Backend) {
        for _ in 0..<Sim.draw(2...8) {
            Sim.spawn("burst") {
                for _ in 0..<Sim.draw(10...30) {
                    let number = "+1201555\(3000 + Sim.draw(500))"
                    _ = backend.post("/v3/unify", ["phoneNumber": .string(number), "possessionType": "mobile"])
                }
            }
        }
    }

    private func stepClock() {
        let seconds = Sim.pick([1, 3, 30, 300, 3_600])
        let back = Sim.onceIn(2)
        if !back, seconds > 60 || world.figures.clockSteps > 3 { world.hasSteppedFar = true }
        world.figures.clockSteps += 1
        if !back { world.ahead += UInt64(seconds) * 1_000_000_000 }
        machine_step_wall(Int64(seconds * (back ? -1000 : 1000)))
    }

    /// A disk without faults.
    /// - Parameter sync: microseconds that a sync takes.
    private func disk(_ sync: ClosedRange<UInt32>) -> machine_faults {
        var faults = machine_faults()
        faults.sync_least_us = sync.lowerBound
        faults.sync_most_us = sync.upperBound
        faults.sync_lies = Settings.diskLies
        return faults
    }

    private func setCalm() {
        if world.calmSince == nil, world.carrier.mood.isCalm { world.calmSince = Sim.now }
        machine_set_faults(disk(200...3_000))
    }

    private func slowDisk() {
        world.calmSince = nil
        machine_set_faults(disk(20_000...150_000))
    }

    private func troubleDisk() {
        world.calmSince = nil
        var faults = disk(200...5_000)
        let often = UInt32(Sim.pick([20, 200, 2_000]))
        switch Sim.draw(7) {
        case 0: faults.read_error = often
        case 1: faults.write_error = often
        case 2: faults.no_space = often * 10
        case 3: faults.short_write = often * 5
        case 4: faults.sync_error = often
        case 5: faults.truncate_error = often * 10
        default: faults.open_error = often * 10
        }
        machine_set_faults(faults)
        Sim.sleep(milliseconds: Sim.draw(3_000))
        if Sim.onceIn(2) { setCalm() }
    }

    /// A supervisor starts what has ended. A start on a disk with faults may fail; one on a sound disk never does.
    private func keepUp() {
        for attempt in 0... {
            switch world.server {
            case .up: return
            case .down, .starting, .stopping, .failed: break
            }
            if attempt > 0 {
                Sim.sleep(milliseconds: 500)
                setCalm()
            }
            if case .failed = world.server { world.crash(losingPower: false) }
            let faults = world.diskFaults
            world.start()
            if case .failed(let why) = world.server, faults == world.diskFaults {
                return world.promises.broken("the server starts on a sound disk: \(why)")
            }
            if attempt == 5 { return world.promises.broken("the server starts within some tries") }
        }
    }

    /// The end of all trouble.
    private func settle() {
        world.isEnding = true
        setCalm()
        world.carrier.mood = Carrier.Mood()
        keepUp()
        Sim.sleep(milliseconds: 15_000)
        keepUp()
    }
}
