#!/usr/bin/env node
// Runs the program of this package; signals and the exit status pass through.
const { spawn } = require("node:child_process");
const path = require("node:path");

const program = path.join(__dirname, "..", "holdfast", "bin", "holdfast");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
const passed = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of passed) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`holdfast: ${program} does not start: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  for (const name of passed) process.removeAllListeners(name);
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code;
});
