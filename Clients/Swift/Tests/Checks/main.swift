// Holds the library to the vectors, or to a real sandbox server. The last line is "N passed, M failed".
//
//   client-checks vectors FOLDER [PART OF A NAME]
//   client-checks live URL SCRATCH-DIRECTORY [PART OF A NAME]
import Foundation
import Holdfast

let words = CommandLine.arguments.dropFirst()
let report = Report(only: words.count > (words.first == "vectors" ? 2 : 3) ? words.last! : "")
switch (words.first, words.count) {
case ("vectors", 2...3):
    await runVectors(in: URL(fileURLWithPath: words[2], isDirectory: true), report)
case ("live", 3...4):
    await runScenes(at: words[2], scratch: URL(fileURLWithPath: words[3], isDirectory: true), report)
case ("child", 4):
    // Started by a scene, which kills it.
    await runChild(
        URL(fileURLWithPath: words[2], isDirectory: true), stopAt: words[3], usesDeviceKey: words[4] == "device")
    exit(3)
default:
    say("client-checks vectors FOLDER [PART OF A NAME] | live URL SCRATCH-DIRECTORY [PART OF A NAME]")
    exit(2)
}
exit(await report.finish() ? 0 : 1)
