/** Causal attention with grouped heads over a cache, one query row at a time. */
import { exp4, madd, sum4 } from "./simd";

/**
 * query [B, T, H*Dh]; cached keys and values [B, Hkv, C, Dh], the new rows already among them; start int32 [B] = tokens
 * before the first new row; scores is scratch for C numbers; out [B, T, H*Dh]. Dh is a multiple of 4.
 */
export function attend(
  B: i32,
  T: i32,
  H: i32,
  Hkv: i32,
  Dh: i32,
  C: i32,
  scale: f32,
  query: usize,
  keys: usize,
  values: usize,
  start: usize,
  scores: usize,
  out: usize,
): void {
  const head = Dh << 2;
  const shared = H / Hkv;
  for (let b = 0; b < B; b++) {
    const before = i32.load(start + (b << 2));
    for (let t = 0; t < T; t++) {
      const seen = before + t + 1;
      for (let h = 0; h < H; h++) {
        const cache = (b * Hkv + h / shared) * C * head;
        const q = query + ((b * T + t) * H + h) * head;
        mix(seen, head, scale, q, keys + cache, values + cache, scores, out + (q - query));
      }
    }
  }
}

function mix(
  seen: i32,
  head: i32,
  scale: f32,
  q: usize,
  keys: usize,
  values: usize,
  scores: usize,
  out: usize,
): void {
  let top: f32 = -Infinity;
  for (let s = 0; s < seen; s++) {
    let dot = f32x4.splat(0);
    const key = keys + s * head;
    for (let d = 0; d < head; d += 16) dot = madd(v128.load(q + d), v128.load(key + d), dot);
    const score = sum4(dot) * scale;
    f32.store(scores + (s << 2), score);
    top = max(top, score);
  }
  let total: f32 = 0;
  for (let s = 0; s < seen; s += 4) {
    const at = scores + (s << 2);
    v128.store(at, exp4(f32x4.sub(v128.load(at), f32x4.splat(top))));
  }
  for (let s = 0; s < seen; s++) total += f32.load(scores + (s << 2));
  const share = f32x4.splat(<f32>1 / total);
  for (let d = 0; d < head; d += 16) {
    let sum = f32x4.splat(0);
    let value = values + d;
    for (let s = 0; s < seen; s++, value += head) {
      sum = madd(v128.load32_splat(scores + (s << 2)), v128.load(value), sum);
    }
    v128.store(out + d, f32x4.mul(sum, share));
  }
}
