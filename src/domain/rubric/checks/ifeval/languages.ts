/** Which language a text is in, by franc: loaded when a rubric first asks, so that no other run fetches it. */
import { PlaygroundError } from "../../../../base/errors.ts";

/** franc's code (ISO 639-3) of each language that IFEval's data names (ISO 639-1). */
const CODES = {
  ...{
    en: "eng",
    es: "spa",
    pt: "por",
    ar: "arb",
    hi: "hin",
    fr: "fra",
    ru: "rus",
    de: "deu",
    ja: "jpn",
    it: "ita",
  },
  ...{
    bn: "ben",
    uk: "ukr",
    th: "tha",
    ur: "urd",
    ta: "tam",
    te: "tel",
    bg: "bul",
    ko: "kor",
    pl: "pol",
    he: "heb",
  },
  ...{
    fa: "pes",
    vi: "vie",
    ne: "npi",
    sw: "swh",
    kn: "kan",
    mr: "mar",
    gu: "guj",
    pa: "pan",
    ml: "mal",
    fi: "fin",
  },
} as const;
type Language = keyof typeof CODES;
export const LANGUAGES = Object.keys(CODES) as Language[];

let detect: ((text: string) => string) | null = null;

export async function loadLanguages(): Promise<void> {
  if (detect !== null) return;
  const { franc } = await import("franc");
  const only = Object.values(CODES);
  detect = (text) => franc(text, { only });
}

/** Also true for a text without letters: the reference counts what it cannot detect as followed. */
export function isLanguage(text: string, language: Language): boolean {
  if (!/\p{L}/u.test(text)) return true;
  if (detect === null) {
    throw new PlaygroundError({
      code: "internal",
      where: "language detection",
      expected: "a loaded detector",
      got: "none",
      next: "Call the check's load first.",
    });
  }
  return detect(text) === CODES[language];
}
