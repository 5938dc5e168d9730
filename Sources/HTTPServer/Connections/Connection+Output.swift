/// Output that waits for the peer to read it.
extension Connection {
    /// Bytes of answers that the kernel has not accepted yet.
    var unsentBytes: Int { output.count - outputStart + sharedOutput.count - sharedStart + transport.unsentBytes }

    /// True while no further request may begin.
    var isOutputFull: Bool {
        if !sharedOutput.isEmpty { return true }
        let unsent = output.count - outputStart
        return unsent > worker.limits.maxOutputBytes
            || unsent > worker.limits.smallRequestBytes && worker.isMemoryUsedUp
    }

    /// True when the answer must be the last one on this connection.
    func mustClose() -> Bool {
        !exchange.keepsAlive || place == .reserved || (worker.isEnding || isInputEnded) && !hasMoreInput
    }

    /// Lets `write` append to the output. Returns the number of bytes added.
    func write(_ write: (inout [UInt8]) -> Void) -> Int {
        if output.capacity == 0 { output = worker.takeOutput() }
        if !sharedOutput.isEmpty { copySharedOutput() }
        let before = output.count
        write(&output)
        if !isFlushScheduled, !isOutputBlocked {
            isFlushScheduled = true
            worker.loop.flushAtTurnEnd(self)
        }
        return output.count - before
    }

    /// Sends `bytes` after the output, without a copy.
    func share(_ bytes: [UInt8]) {
        sharedOutput = bytes
        sharedStart = 0
    }

    private func copySharedOutput() {
        output.append(contentsOf: sharedOutput[sharedStart...])
        dropSharedOutput()
    }

    private func dropSharedOutput() {
        sharedOutput = []
        sharedStart = 0
    }

    /// Sends the collected output, at the end of a turn and when a slow peer takes more.
    func flush() {
        isFlushScheduled = false
        guard phase != .closed else { return }
        let before = unsentBytes
        guard sendOutput() else {
            abort()
            return
        }
        let left = unsentBytes
        let taken = before - left
        if left > 0 {
            outputIsBlocked(left, taken)
        } else {
            outputIsSent()
        }
        stream?.flushed(taken)
        answersThisTurn = 0
        // In the next turn, after the waiting events.
        if phase == .reading, pendingBytes > 0 || isInputEnded { worker.loop.post { self.resumeParsing() } }
        updateInterestAndTimer()
    }

    /// Returns false when the connection is broken.
    private func sendOutput() -> Bool {
        guard transport.flush() else { return false }
        if output.count > outputStart {
            switch transport.send(output, from: outputStart) {
            case .done(let count): outputStart += count
            case .wouldBlock: return true
            case .failed: return false
            }
        }
        guard outputStart == output.count, !sharedOutput.isEmpty else { return true }
        switch transport.send(sharedOutput, from: sharedStart) {
        case .done(let count):
            sharedStart += count
            if sharedStart == sharedOutput.count { dropSharedOutput() }
        case .wouldBlock: break
        case .failed: return false
        }
        return true
    }

    private func resumeParsing() {
        guard phase == .reading else { return }
        parsePending()
        updateInterestAndTimer()
    }

    private func outputIsBlocked(_ left: Int, _ taken: Int) {
        isOutputBlocked = true
        deadlines.outputBlocked(left, taken: taken, at: worker.loop.now)
        if outputStart > 64 * 1024 {
            output.removeFirst(outputStart)
            outputStart = 0
        }
    }

    private func outputIsSent() {
        isOutputBlocked = false
        deadlines.outputSent()
        outputStart = 0
        if output.capacity > 0 {
            var spare: [UInt8] = []
            swap(&spare, &output)
            worker.recycle(spare)
        }
        if phase == .closing { linger() } else if phase == .lingering { closeIfDone() }
    }
}
