/** Numbers as the page writes them: two significant digits, a true minus, a dash for what is missing. */
import type { Verdict } from "../../domain/rubric/verdicts.ts";

const MISSING = "–";
const MINUS = "\u2212";
const THIN = "\u202f";

type Maybe = number | null | undefined;

/** Two significant digits (integers from 100 on): 0.74, 1.8, 12, 150; 2.0e-3 below a thousandth. */
export function number(value: Maybe): string {
  return withDigits(value, 2);
}

/** A digit more, where two would hide what is compared: 0.742, 1.80; integers from 100 on. */
export function fineNumber(value: Maybe): string {
  return withDigits(value, 3);
}

function withDigits(value: Maybe, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (size >= 99.5) return sign + String(Math.round(size));
  if (size < 1e-3) return sign + size.toExponential(digits - 1).replace("-", MINUS);
  return sign + size.toPrecision(digits);
}

/** So many decimals, whatever the size: for a value that changes in its place. */
export function fixed(value: Maybe, decimals: number): string {
  return value === null || value === undefined || !Number.isFinite(value) ? MISSING : value.toFixed(decimals);
}

/** With its sign: +1.6, −1.2. */
export function signed(value: Maybe): string {
  return value !== null && value !== undefined && value > 0 ? `+${number(value)}` : number(value);
}

/** A share as whole per cent; what is nearly, but not, 0 or 1 does not round to it. */
export function percent(value: Maybe): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (value > 0 && value < 0.005) return `<1${THIN}%`;
  if (value < 1 && value > 0.995) return `>99${THIN}%`;
  return `${String(Math.round(value * 100))}${THIN}%`;
}

/** Milliseconds as m:ss, or h:mm:ss. */
export function duration(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return hours > 0
    ? `${String(hours)}:${two(minutes)}:${two(seconds)}`
    : `${String(minutes)}:${two(seconds)}`;
}

/** How a verdict is drawn: pass, fail, part (between 0 and 1) or missing. */
export function verdictKind(verdict: Verdict): "pass" | "fail" | "part" | "missing" {
  if (verdict === null) return "missing";
  if (verdict >= 1) return "pass";
  return verdict <= 0 ? "fail" : "part";
}
