/** Lets the sandbox's thread read TypeScript, which a thread does not inherit. */
import { register } from "tsx/esm/api";

register();
await import("./sandbox-thread.ts");
