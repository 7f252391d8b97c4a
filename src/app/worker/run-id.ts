/** The name of a new run. */

/** 32 hexadecimal digits; unlike `crypto.randomUUID` it is there on plain http too. */
export function randomRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
