/** Flesch's and Kincaid's formulas on texts whose words, sentences and syllables are counted by hand. */
import { beforeAll, expect, test } from "vitest";
import { readingEase } from "./reading-ease.ts";

beforeAll(() => readingEase.load?.());

const reasonOf = (text: string, measure: "reading ease" | "grade"): string =>
  readingEase.judge({ text, ended: true }, { measure, min: 0, max: 50 }, { text: "", fields: {} }).reason;

test.each([
  // words, sentences, syllables: 6, 1, 6
  ["The cat sat on the mat.", "116.1", "-1.4"],
  // 9, 2, 14
  ["We are sorry. Your kettle is under our guarantee.", "70.7", "4.5"],
])("%s", (text, ease, grade) => {
  expect(reasonOf(text, "reading ease")).toBe(`reading ease ${ease}, asked: 0 to 50`);
  expect(reasonOf(text, "grade")).toBe(`grade ${grade}, asked: 0 to 50`);
});

test("numbers are no words, and a text without words fails", () => {
  expect(reasonOf("The cat 12 sat on 4 the mat.", "reading ease")).toContain("116.1");
  expect(reasonOf("12 4", "grade")).toBe("no words to read");
});
