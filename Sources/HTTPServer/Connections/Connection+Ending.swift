/// How a connection ends.
extension Connection {
    /// Reads no further request. The connection ends when the output is sent.
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

    /// Ends a lingering connection when the peer sends no more, or too much was discarded, and the transport has
    /// written its own end.
    func closeIfDone() {
        guard isInputEnded || lingeredBytes > worker.limits.maxLingerBytes, !transport.wantsWrite else { return }
        close()
    }

    /// The server is shutting down. An idle connection closes; a connection that was busy a moment ago gets
    /// `Limits.drainGrace` first; any other closes after its answer. A stream gets the signal to end.
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

    /// Ends an idle connection. It has no unread input, so the close causes no reset and lingering is unnecessary.
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

    /// Cancels the running request and closes the descriptor: the peer is gone or is disconnected.
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
        // A request that has not begun will not begin. If a task exists, it takes the job itself.
        if task == nil { job = nil }
        parser.end()
        worker.hold(-heldBytes)
        heldBytes = 0
        worker.closed(self)
    }

    // MARK: Interest and time

    /// Updates the watched events and the timer to match the state. Makes system calls only when something changed.
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

    /// Reports a change in this connection's memory to the worker. Less than 1 KiB counts as zero, so a small request
    /// and its answer are not reported.
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

    /// A deadline that moves later does not touch the timer: it fires at the old time, finds the new deadline, and is
    /// set again.
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
        // Bytes that arrived in time may still be in the kernel, after a stall or a long turn.
        if due <= worker.loop.now, phase == .reading, wantsInput { receive() }
        if due <= worker.loop.now { expire() }
        updateInterestAndTimer()
    }

    private func expire() {
        switch phase {
        case .closed: break
        case .running where !deadlines.isOutputOverdue(at: worker.loop.now) && stream?.isTaken() == true: break
        case .running, .closing, .lingering: abort()
        // No answer can be sent before the handshake is complete.
        case .reading where transport.isInHandshake: abort()
        case .reading where deadlines.isOutputOverdue(at: worker.loop.now): abort()
        case .reading where isDiscarding: beginClosing()
        case .reading where place == .reserved:
            worker.noteRefusedOnReserve()
            refuse(.overloaded)
        case .reading where !parser.isIdle: refuse(.requestTimeout)
        case .reading where worker.isDraining && isIdle: drain()
        case .reading:
            // The kernel may hold an answer that the peer has not read (HTTP-31).
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
