/** The site for specs of `npm run slow`, which runs without the build that `npm test` begins with. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SITE = ".cache/slow-site";

/** The site as it is shipped, of today's sources; `SITE=dist` takes one that is built. A test's own process builds for development. */
export function builtSite(): string {
  const given = process.env["SITE"];
  if (given !== undefined) return given;
  const outDir = join(ROOT, SITE);
  const env = { ...process.env, NODE_ENV: "production" };
  execFileSync("npx", ["vite", "build", "--outDir", outDir, "--emptyOutDir"], { cwd: ROOT, env });
  return outDir;
}
