/** Tells one adapter from another by its numbers. */
import { sha256 } from "hash-wasm";

/** SHA-256 of a flat vector's float32 bytes, as 64 hexadecimal digits. */
export function hashAdapter({ buffer, byteOffset, byteLength }: Float32Array): Promise<string> {
  return sha256(new Uint8Array(buffer, byteOffset, byteLength));
}
