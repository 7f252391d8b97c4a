/**
 * What every kernel shares. Every tensor has 16 bytes of room behind it, so that loops may read and write whole vectors
 * past its end.
 */

/** Scratch for a few vectors. */
export const SPARE: usize = memory.data(32, 16);

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

/** 2^n for whole numbers n in -126 .. 127. */
// @ts-ignore: decorator
@inline
function power2(n: v128): v128 {
  return i32x4.shl(i32x4.add(n, i32x4.splat(127)), 23);
}

/** e^x to about one unit in the last place (Cephes' expf): x = n ln 2 + r, a polynomial in r, times 2^n in two halves. */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const bounded = f32x4.max(f32x4.min(x, f32x4.splat(89)), f32x4.splat(-104));
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(1.44269504088896341)));
  let r = f32x4.sub(bounded, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1));
  const whole = i32x4.trunc_sat_f32x4_s(n);
  const half = i32x4.shr_s(whole, 1);
  return f32x4.mul(f32x4.mul(p, power2(half)), power2(i32x4.sub(whole, half)));
}

/** 1 / (1 + e^-x). */
// @ts-ignore: decorator
@inline
export function sigmoid4(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
}
