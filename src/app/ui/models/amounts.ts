/** Amounts of models as a person reads them. */
import { fineNumber, number } from "../format.ts";

/** 34 kB, 135 MB, 1.20 GB. */
export function bytes(amount: number): string {
  if (amount < 999_500) return `${fineNumber(amount / 1e3)} kB`;
  return amount < 999.5e6 ? `${fineNumber(amount / 1e6)} MB` : `${fineNumber(amount / 1e9)} GB`;
}

/** 0.43 s, 12 s, 1.8 min, 2.1 h. */
export function span(ms: number): string {
  if (ms < 99_500) return `${number(ms / 1e3)} s`;
  return ms < 99.5 * 60e3 ? `${number(ms / 60e3)} min` : `${number(ms / 3600e3)} h`;
}

/** 135 million, 1.24 billion. */
export function count(amount: number): string {
  if (amount < 999_500) return `${fineNumber(amount / 1e3)} thousand`;
  return amount < 999.5e6 ? `${fineNumber(amount / 1e6)} million` : `${fineNumber(amount / 1e9)} billion`;
}
