import { describe, expect, it } from "vitest";
import {
  failed,
  findAny,
  findPhrase,
  linesOf,
  listOf,
  passed,
  sentencesOf,
  wordsOf,
  type Piece,
} from "./answer-text.ts";

const texts = (pieces: readonly Piece[]): string[] => pieces.map((piece) => piece.text);

describe("a phrase", () => {
  it.each([
    ["any white space inside and around", "A Kettle \n leaks.", "  kettle  leaks ", 1],
    ["a mark in front, whatever precedes it", "a(ok", "(ok", 1],
    ["a mark behind, whatever follows it", "ok)b", "ok)", 1],
    ["a hyphen within it", "a well-known Well-Known fact, well known", "well-known", 2],
    ["signs that a pattern would read", "a/b (c) [d] {e} a.b+c? ^x$ |y|", "a.b+c? ^x$ |y|", 1],
    ["no part of a longer word", "prerefunds", "refund", 0],
    ["no part of a longer number", "4123", "12", 0],
  ])("is found with %s", (_, text, phrase, count) => {
    expect(findPhrase(text, phrase)).toHaveLength(count);
  });

  it("stands in the text's order among others", () => {
    expect(texts(findAny("two, one, two", ["one", "two"]))).toEqual(["two", "one", "two"]);
  });
});

it("words keep their inner apostrophes, and numbers are words", () => {
  expect(texts(wordsOf("You'll see 12 o’clock's 'x'"))).toEqual(["You'll", "see", "12", "o’clock's", "x"]);
});

it("lines of white space are none", () => {
  expect(texts(linesOf("a\n  \r\nb"))).toEqual(["a", "b"]);
});

describe("sentences", () => {
  it.each([
    ["  Hi there. How?\nOK", ["Hi there.", "How?", "OK"]],
    ["What?! Version 2.5 is out", ["What?!", "Version 2.5 is out"]],
    ["1. Sit down. Rest.", ["1. Sit down.", "Rest."]],
    ["  12. Sit.", ["12. Sit."]],
    ["I have 2. Then a1. No. Yes.", ["I have 2.", "Then a1.", "No.", "Yes."]],
    ["a1. No. Yes.", ["a1.", "No.", "Yes."]],
  ])("of %j", (text, wanted) => {
    const sentences = sentencesOf(text);
    expect(texts(sentences)).toEqual(wanted);
    expect(sentences.map(({ start, end }) => text.slice(start, end))).toEqual(wanted);
  });
});

it("lists name five at most and count the rest", () => {
  expect(listOf(["a", "b"])).toBe('"a", "b"');
  expect(listOf(["a", "b", "c", "d", "e"])).toBe('"a", "b", "c", "d", "e"');
  expect(listOf(["a", "b", "c", "d", "e", "f", "g"])).toBe('"a", "b", "c", "d", "e", 2 more');
});

it("judgements without a place have no span", () => {
  expect([passed("yes").spans, failed("no").spans]).toEqual([[], []]);
});
