/** The name of a new run. */
import { hex } from "./hex.ts";

/** 32 hexadecimal digits; unlike `crypto.randomUUID` it is there on plain http too. */
export function randomRunId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}
