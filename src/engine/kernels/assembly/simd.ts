/**
 * What every kernel shares. Every tensor has 16 bytes of room behind it, so that loops may read and write whole vectors
 * past its end.
 */

/** Scratch for two vectors of each thread, of which there are at most MOST_THREADS (module.ts). */
export const SPARE: usize = memory.data(4 * 32, 16);

/** a * b + c; rounded once where the relaxed instructions are there. */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** The four numbers added up. */
// @ts-ignore: decorator
@inline
export function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** Below it e^x counts as 0: numbers smaller than the smallest normal one take a hundred times as long. */
const LEAST: f32 = -87;
/** 1.5 * 2^23: a small number added to it is rounded to a whole one, which stands in its last bits. */
const ROUND: f32 = 12582912;

/**
 * e^x to about one unit in the last place (Cephes' expf): x = n ln 2 + r, a polynomial in r, times 2^n. Infinite from 88.4
 * on (exactly: from 88.73).
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const bounded = f32x4.pmax(f32x4.pmin(x, f32x4.splat(89)), f32x4.splat(LEAST));
  const rounded = madd(bounded, f32x4.splat(1.44269504088896341), f32x4.splat(ROUND));
  const n = f32x4.sub(rounded, f32x4.splat(ROUND));
  let r = madd(n, f32x4.splat(-0.693359375), bounded);
  r = madd(n, f32x4.splat(2.12194440e-4), r);
  let p = f32x4.splat(1.9875691500e-4);
  p = madd(p, r, f32x4.splat(1.3981999507e-3));
  p = madd(p, r, f32x4.splat(8.3334519073e-3));
  p = madd(p, r, f32x4.splat(4.1665795894e-2));
  p = madd(p, r, f32x4.splat(1.6666665459e-1));
  p = madd(p, r, f32x4.splat(5.0000001201e-1));
  p = madd(p, f32x4.mul(r, r), f32x4.add(r, f32x4.splat(1)));
  const whole = i32x4.sub(rounded, i32x4.splat(0x4b400000)); // the bits of ROUND
  const power = i32x4.shl(i32x4.add(whole, i32x4.splat(127)), 23); // 2^n
  return v128.andnot(f32x4.mul(p, power), f32x4.lt(x, f32x4.splat(LEAST)));
}

/** 1 / (1 + e^-x). */
// @ts-ignore: decorator
@inline
export function sigmoid4(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
}
