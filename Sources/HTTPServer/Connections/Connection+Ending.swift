/// How a connection ends, and what it waits for until then.
extension Connection {
    /// Nothing more is read as a request; the connection ends when the output is sent.
    func beginClosing() {
        guard phase == .reading else { return }
        phase = .closing
        plan = nil
        parser.end()
        dropParsed()
        if unsentBytes == 0 { linger() }
    }

    func linger() {
        transport.finishSending()
        phase = .lingering
        deadlines.lingering(from: worker.loop.now, isDraining: worker.isDraining)
        closeIfDone()
    }

    /// Ends a lingering connection when there is nothing to wait for: the peer sends no more, and our end has left.
    func closeIfDone() {
        guard isInputEnded || lingeredBytes > worker.limits.maxLingerBytes, !transport.wantsWrite else { return }
        close()
    }

    /// The server is about to end: a connection that has been idle for a while closes, one that was busy just now gets a
    /// moment more, any other closes after its answer. A stream is told to end.
    func drain() {
        stream?.drain()
        switch phase {
        case .lingering: deadlines.lingering(from: worker.loop.now, isDraining: true)
        case .reading where isDiscarding: beginClosing()
        case .reading where isIdle:
            // A request that has arrived already is still answered.
            receive()
            if phase == .reading, isIdle, !deadlines.draining(at: worker.loop.now) { closeIdle() }
        case .reading, .running, .closing, .closed: break
        }
        updateInterestAndTimer()
    }

    private var isIdle: Bool { parser.isIdle && pendingBytes == 0 }

    /// Ends a connection on which nothing is under way. Without input that is unread this is no reset, and so there is
    /// nothing to linger for.
    private func closeIdle() {
        if transport.isInHandshake {
            close()
            return
        }
        if unsentBytes == 0 {
            transport.finishSending()
            if !transport.wantsWrite {
                close()
                return
            }
        }
        beginClosing()
    }

    /// The peer is gone, or has to go: the running request is cancelled and the descriptor closed.
    func abort() {
        task?.cancel()
        close()
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        stream?.connectionClosed()
        worker.loop.unregister(token, transport.descriptor)
        transport.close()
        timer?.cancel()
        timer = nil
        pending = []
        output = []
        sharedOutput = []
        plan = nil
        // A request that has not begun never will. A task takes its own.
        if task == nil { job = nil }
        parser.end()
        worker.hold(-heldBytes)
        heldBytes = 0
        worker.closed(self)
    }

    // MARK: Interest and time

    /// Brings the set's interest and the timer in line with the state. System calls only when something changed.
    func updateInterestAndTimer() {
        guard phase != .closed else { return }
        accountForMemory()
        var wanted: Poller.Interest = []
        if wantsInput {
            if transport.wantsRead { wanted.insert(.readable) }
            if transport.hasInput { receiveAgain() }
        }
        if isOutputBlocked || transport.wantsWrite { wanted.insert(.writable) }
        if wanted != interest {
            interest = wanted
            worker.loop.change(token, transport.descriptor, wanted)
        }
        armTimer()
    }

    /// Tells the worker how much more or less this connection holds now. Less than 1 KiB counts as nothing: so a plain
    /// request and its answer are never told of.
    private func accountForMemory() {
        var held = pending.capacity + output.count + parser.heldBytes + transport.heldBytes
        if phase == .running { held += requestBytes }
        if held < 1024 { held = 0 }
        guard held != heldBytes else { return }
        worker.hold(held - heldBytes)
        heldBytes = held
    }

    var wantsInput: Bool {
        if isInputEnded { return false }
        switch phase {
        case .reading, .running:
            let room = worker.isMemoryUsedUp ? worker.limits.smallRequestBytes : worker.limits.maxPipelinedBytes
            return pendingBytes < room && !isOutputFull
        case .closing, .lingering: return lingeredBytes <= worker.limits.maxLingerBytes
        case .closed: return false
        }
    }

    private var due: UInt64 { min(deadlines.due(in: phase), stream?.due ?? .max) }

    /// Deadlines that move back leave the timer alone: it fires at the old time, finds the new one, and is set again.
    func armTimer() {
        let due = due
        guard due < timerIsFor else { return }
        timer?.cancel()
        timerIsFor = due
        timer = worker.loop.schedule(at: due) { self.timerFired() }
    }

    private func timerFired() {
        timer = nil
        timerIsFor = .max
        // Bytes that came in time may still lie in the kernel, after a stall or behind many others.
        if due <= worker.loop.now, phase == .reading, wantsInput { receive() }
        if due <= worker.loop.now { expire() }
        updateInterestAndTimer()
    }

    private func expire() {
        switch phase {
        case .closed: break
        case .running where !deadlines.isOutputOverdue(at: worker.loop.now) && stream?.isTaken() == true: break
        case .running, .closing, .lingering: abort()
        // There is no way yet to say anything to the peer.
        case .reading where transport.isInHandshake: abort()
        case .reading where deadlines.isOutputOverdue(at: worker.loop.now): abort()
        case .reading where isDiscarding: beginClosing()
        case .reading where place == .reserved:
            worker.noteRefusedOnReserve()
            refuse(.overloaded)
        case .reading where !parser.isIdle: refuse(.requestTimeout)
        case .reading where worker.isDraining && isIdle: drain()
        case .reading:
            // The kernel may hold an answer that the peer does not read (HTTP-31).
            if deadlines.mayStayIdle, transport.undeliveredBytes == 0 {
                deadlines.stayIdle()
            } else if transport.undeliveredBytes > 0 {
                abort()
            } else {
                beginClosing()
            }
        }
    }
}
