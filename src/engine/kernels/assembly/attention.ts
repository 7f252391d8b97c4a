/** Causal attention with grouped heads over a cache, one query row at a time. */
import { argument, put, run, thread } from "./share";
import { exp4, madd, sum4 } from "./simd";

/**
 * query [B, T, H*Dh]; cached keys and values [B, Hkv, C, Dh], the new rows already among them; start int32 [B] = tokens
 * before the first new row; scores is scratch of `scoreBytes` for each thread, C numbers and a vector; out [B, T, H*Dh]. Dh is
 * a multiple of 4.
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
  scoreBytes: i32,
  out: usize,
): void {
  put(0, T);
  put(1, H);
  put(2, Hkv);
  put(3, Dh);
  put(4, C);
  put(5, reinterpret<u32>(scale));
  put(6, query);
  put(7, keys);
  put(8, values);
  put(9, start);
  put(10, scores);
  put(11, scoreBytes);
  put(12, out);
  run(attendHeads, B * T * H, 1, <f64>(B * T * H) * <f64>(C * Dh) / 8);
}

/** Heads `from` .. `to`-1 of all rows [B, T, H]. */
function attendHeads(from: i32, to: i32): void {
  const T = argument(0), H = argument(1), Hkv = argument(2), Dh = argument(3), C = argument(4);
  const scale = reinterpret<f32>(argument(5));
  const query = argument(6), keys = argument(7), values = argument(8), start = argument(9);
  const scores = argument(10) + thread() * argument(11), out = argument(12);
  const head = Dh << 2;
  const shared = H / Hkv;
  for (let i = from; i < to; i++) {
    const h = i % H, row = i / H, t = row % T, b = row / T;
    const seen = i32.load(start + (b << 2)) + t + 1;
    const cache = (b * Hkv + h / shared) * C * head;
    mix(seen, head, scale, query + i * head, keys + cache, values + cache, scores, out + i * head);
  }
}

/** One query against the keys it sees: softmax of the scores, then the values mixed by it. */
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
  const top = f32x4.splat(score(seen, head, scale, q, keys, scores));
  for (let s = 0; s < seen; s += 4) {
    const at = scores + (s << 2);
    v128.store(at, exp4(f32x4.sub(v128.load(at), top)));
  }
  let total: f32 = 0;
  for (let s = 0; s < seen; s++) total += f32.load(scores + (s << 2));
  const share = f32x4.splat(<f32>1 / total);
  let d = 0;
  for (; d + 64 <= head; d += 64) mix16(seen, head, values + d, scores, share, out + d);
  for (; d < head; d += 16) {
    let sum = f32x4.splat(0);
    for (let s = 0; s < seen; s++) {
      sum = madd(v128.load32_splat(scores + (s << 2)), v128.load(values + d + s * head), sum);
    }
    v128.store(out + d, f32x4.mul(sum, share));
  }
}

/** q . k * scale for every key, four at a time; returns the largest. */
function score(seen: i32, head: i32, scale: f32, q: usize, keys: usize, scores: usize): f32 {
  let top: f32 = -Infinity;
  let s = 0;
  for (; s + 4 <= seen; s += 4) {
    let k0 = keys + s * head, k1 = k0 + head, k2 = k1 + head, k3 = k2 + head;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let d = 0; d < head; d += 16) {
      const x = v128.load(q + d);
      s0 = madd(x, v128.load(k0 + d), s0);
      s1 = madd(x, v128.load(k1 + d), s1);
      s2 = madd(x, v128.load(k2 + d), s2);
      s3 = madd(x, v128.load(k3 + d), s3);
    }
    const first = f32x4.add(
      v128.shuffle<f32>(s0, s1, 0, 1, 4, 5),
      v128.shuffle<f32>(s0, s1, 2, 3, 6, 7),
    );
    const second = f32x4.add(
      v128.shuffle<f32>(s2, s3, 0, 1, 4, 5),
      v128.shuffle<f32>(s2, s3, 2, 3, 6, 7),
    );
    const sums = f32x4.add(
      v128.shuffle<f32>(first, second, 0, 2, 4, 6),
      v128.shuffle<f32>(first, second, 1, 3, 5, 7),
    );
    v128.store(scores + (s << 2), f32x4.mul(sums, f32x4.splat(scale)));
  }
  for (; s < seen; s++) {
    let sum = f32x4.splat(0);
    for (let d = 0; d < head; d += 16) sum = madd(v128.load(q + d), v128.load(keys + s * head + d), sum);
    f32.store(scores + (s << 2), sum4(sum) * scale);
  }
  for (s = 0; s < seen; s++) top = max(top, f32.load(scores + (s << 2)));
  return top;
}

/** Sixteen columns of the values. */
// @ts-ignore: decorator
@inline
function mix16(seen: i32, head: i32, value: usize, scores: usize, share: v128, out: usize): void {
  let m0 = f32x4.splat(0), m1 = m0, m2 = m0, m3 = m0;
  for (let s = 0; s < seen; s++, value += head) {
    const weight = v128.load32_splat(scores + (s << 2));
    m0 = madd(weight, v128.load(value), m0);
    m1 = madd(weight, v128.load(value, 16), m1);
    m2 = madd(weight, v128.load(value, 32), m2);
    m3 = madd(weight, v128.load(value, 48), m3);
  }
  v128.store(out, f32x4.mul(m0, share));
  v128.store(out, f32x4.mul(m1, share), 16);
  v128.store(out, f32x4.mul(m2, share), 32);
  v128.store(out, f32x4.mul(m3, share), 48);
}
