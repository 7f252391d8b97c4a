/** The same command in several processes, each with its share of the runs. */
import { spawn } from "node:child_process";

/**
 * Runs this very command again `count` times, with `--share 1/count` and so on in place of `--processes`; what they print is
 * printed here. An interrupt reaches them all.
 *
 * @param args of the command
 * @returns true when every one of them ended well
 */
export async function runShares(
  count: number,
  args: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const ends = Array.from({ length: count }, (_, at) =>
    runShare([...args, "--share", `${at + 1}/${count}`], signal),
  );
  return (await Promise.all(ends)).every((code) => code === 0);
}

function runShare(args: readonly string[], signal: AbortSignal): Promise<number | null> {
  const script = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], { stdio: "inherit" });
  signal.addEventListener("abort", () => child.kill("SIGINT"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
