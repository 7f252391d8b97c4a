/** IFEval's 25 instructions by the name that a criterion's `check.type` holds: `ifeval:` and the reference's id. */
import type { PlainCheck } from "../check.ts";
import { capitalWordFrequency } from "./capital-word-frequency.ts";
import { constrainedResponse } from "./constrained-response.ts";
import { endChecker } from "./end-checker.ts";
import { englishCapital } from "./english-capital.ts";
import { englishLowercase } from "./english-lowercase.ts";
import { existence } from "./existence.ts";
import { forbiddenWords } from "./forbidden-words.ts";
import { frequency } from "./frequency.ts";
import { jsonFormat } from "./json-format.ts";
import { letterFrequency } from "./letter-frequency.ts";
import { multipleSections } from "./multiple-sections.ts";
import { noComma } from "./no-comma.ts";
import { nthParagraphFirstWord } from "./nth-paragraph-first-word.ts";
import { numberBulletLists } from "./number-bullet-lists.ts";
import { numberHighlightedSections } from "./number-highlighted-sections.ts";
import { numberParagraphs } from "./number-paragraphs.ts";
import { numberPlaceholders } from "./number-placeholders.ts";
import { numberSentences } from "./number-sentences.ts";
import { numberWords } from "./number-words.ts";
import { postscript } from "./postscript.ts";
import { quotation } from "./quotation.ts";
import { repeatPrompt } from "./repeat-prompt.ts";
import { responseLanguage } from "./response-language.ts";
import { title } from "./title.ts";
import { twoResponses } from "./two-responses.ts";

export const ifevalChecks = {
  "ifeval:keywords:existence": existence,
  "ifeval:keywords:frequency": frequency,
  "ifeval:keywords:forbidden_words": forbiddenWords,
  "ifeval:keywords:letter_frequency": letterFrequency,
  "ifeval:language:response_language": responseLanguage,
  "ifeval:length_constraints:number_sentences": numberSentences,
  "ifeval:length_constraints:number_paragraphs": numberParagraphs,
  "ifeval:length_constraints:number_words": numberWords,
  "ifeval:length_constraints:nth_paragraph_first_word": nthParagraphFirstWord,
  "ifeval:detectable_content:number_placeholders": numberPlaceholders,
  "ifeval:detectable_content:postscript": postscript,
  "ifeval:detectable_format:number_bullet_lists": numberBulletLists,
  "ifeval:detectable_format:constrained_response": constrainedResponse,
  "ifeval:detectable_format:number_highlighted_sections": numberHighlightedSections,
  "ifeval:detectable_format:multiple_sections": multipleSections,
  "ifeval:detectable_format:json_format": jsonFormat,
  "ifeval:detectable_format:title": title,
  "ifeval:combination:two_responses": twoResponses,
  "ifeval:combination:repeat_prompt": repeatPrompt,
  "ifeval:startend:end_checker": endChecker,
  "ifeval:change_case:capital_word_frequency": capitalWordFrequency,
  "ifeval:change_case:english_capital": englishCapital,
  "ifeval:change_case:english_lowercase": englishLowercase,
  "ifeval:punctuation:no_comma": noComma,
  "ifeval:startend:quotation": quotation,
} satisfies Record<string, PlainCheck>;
