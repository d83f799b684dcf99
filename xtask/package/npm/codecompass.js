#!/usr/bin/env node
// Starts the binary of the package for this platform, which npm installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

const name = `${require("./package.json").name}-${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "codecompass.exe" : "codecompass";

let binary;
try {
  binary = require.resolve(`${name}/${program}`);
} catch {
  console.error(
    `error: ${name} is not installed: it has the program for this platform. ` +
      "Install again without --omit=optional; if npm does not know it, there is none for this platform."
  );
  process.exit(2);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: cannot start ${binary}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  for (const handled of signals) {
    process.removeAllListeners(handled);
  }
  process.kill(process.pid, signal);
});
