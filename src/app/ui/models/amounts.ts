/** Amounts of models as a person reads them. */
import { fineNumber } from "../format.ts";

/** 34 kB, 135 MB, 1.20 GB. */
export function bytes(amount: number): string {
  if (amount < 999_500) return `${fineNumber(amount / 1e3)} kB`;
  return amount < 999.5e6 ? `${fineNumber(amount / 1e6)} MB` : `${fineNumber(amount / 1e9)} GB`;
}

/** 135 million, 1.24 billion. */
export function count(amount: number): string {
  if (amount < 999_500) return `${fineNumber(amount / 1e3)} thousand`;
  return amount < 999.5e6 ? `${fineNumber(amount / 1e6)} million` : `${fineNumber(amount / 1e9)} billion`;
}
