/** How long a server asks to wait: RFC 9110's Retry-After, as seconds or as a date. No clock of its own. */

/** What is read of an answer's headers. */
interface Headers {
  get(name: string): string | null;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const DATES: readonly RegExp[] = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
];

/**
 * Seconds, at least 0; null where nothing is asked for, or nothing that can be read. A date is counted from the answer's own
 * Date, so that the clocks need not agree; a page may not read that of another origin: then from `wallClock` (ms since 1970).
 */
export function retryAfterS(headers: Headers, wallClock?: () => number): number | null {
  const asked = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(asked)) return Number(asked);
  const until = httpDateMs(asked);
  const now = httpDateMs(headers.get("date") ?? "") ?? wallClock?.();
  return until === null || now === undefined ? null : Math.max(0, Math.ceil((until - now) / 1000));
}

/** Milliseconds since 1970 of a date in one of HTTP's three forms; null for any other text. */
function httpDateMs(text: string): number | null {
  const parts = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const { day, month = "", year = "", time = "" } = parts;
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex < 0 || monthIndex % 3 !== 0) return null;
  const [hours = NaN, minutes = NaN, seconds = NaN] = time.split(":").map(Number);
  const days = daysSince1970(fullYear(year), monthIndex / 3, Number(day));
  const ms = 1000 * (86_400 * days + 3600 * hours + 60 * minutes + seconds);
  return Number.isNaN(ms) ? null : ms;
}

/** Two digits are of 1970 to 2069. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  return Number(year) + (Number(year) < 70 ? 2000 : 1900);
}

/** Of the Gregorian calendar, `month` from 0. The year is taken to begin in March, so that a leap day is its last. */
function daysSince1970(year: number, month: number, day: number): number {
  const [y, m] = month < 2 ? [year - 1, month + 10] : [year, month - 2];
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return 365 * y + leapDays + Math.floor((153 * m + 2) / 5) + day - 719_469;
}
