/// What waits for the peer to read it.
extension Connection {
    /// Bytes of answers that the kernel has not taken yet.
    var unsentBytes: Int { output.count - outputStart + sharedOutput.count - sharedStart }

    /// True when no further request may be begun.
    var isOutputFull: Bool {
        if !sharedOutput.isEmpty { return true }
        let unsent = output.count - outputStart
        return unsent > worker.limits.maxOutputBytes
            || unsent > worker.limits.smallRequestBytes && worker.isMemoryUsedUp
    }

    /// True when the answer has to be the last one.
    func mustClose() -> Bool {
        !exchange.keepsAlive || place == .reserved || (worker.isEnding || isInputEnded) && !hasMoreInput
    }

    /// Lets `write` append to the output and returns how many bytes it added.
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

    /// Sends `bytes` behind the output, from where they lie.
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

    /// Sends what was collected; at the end of a turn, and when a slow peer takes more.
    func flush() {
        isFlushScheduled = false
        guard phase != .closed else { return }
        guard let taken = sendOutput() else {
            abort()
            return
        }
        if unsentBytes > 0 {
            outputIsBlocked(taken)
        } else {
            outputIsSent()
        }
        stream?.flushed(taken)
        answersThisTurn = 0
        // In the next turn, after the events that wait.
        if phase == .reading, pendingBytes > 0 || isInputEnded { worker.loop.post { self.resumeParsing() } }
        settle()
    }

    /// Bytes that the kernel took; `nil` when the connection is broken.
    private func sendOutput() -> Int? {
        var taken = 0
        if output.count > outputStart {
            switch Socket.send(descriptor, output, from: outputStart) {
            case .done(let count):
                outputStart += count
                taken = count
            case .wouldBlock: return 0
            case .failed: return nil
            }
        }
        guard outputStart == output.count, !sharedOutput.isEmpty else { return taken }
        switch Socket.send(descriptor, sharedOutput, from: sharedStart) {
        case .done(let count):
            sharedStart += count
            taken += count
            if sharedStart == sharedOutput.count { dropSharedOutput() }
        case .wouldBlock: break
        case .failed: return nil
        }
        return taken
    }

    private func resumeParsing() {
        guard phase == .reading else { return }
        parsePending()
        settle()
    }

    private func outputIsBlocked(_ taken: Int) {
        isOutputBlocked = true
        deadlines.outputBlocked(unsentBytes, taken: taken, at: worker.loop.now)
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
        if phase == .closing { linger() }
    }
}
