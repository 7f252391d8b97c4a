/** What a person has typed of a model, and the choice that it makes. Pure. */
import type { WeightStorage } from "../../../domain/run/memory-plan.ts";
import type { ModelIdentity } from "../../../domain/run/spec.ts";
import type { KeptModelInfo, LocalFile, ModelChoice } from "../../protocol/model-messages.ts";
import { readHubId } from "./hub-id.ts";

export const MODEL_KINDS = ["bundled", "hub", "files", "url"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

export interface ModelDraft {
  readonly kind: ModelKind;
  readonly repo: string;
  readonly revision: string;
  readonly endpoint: string;
  readonly token: string;
  readonly url: string;
  readonly files: readonly LocalFile[];
  readonly storage: WeightStorage;
  readonly thinking: boolean;
}

export const SUGGESTED = [
  "HuggingFaceTB/SmolLM2-135M-Instruct",
  "HuggingFaceTB/SmolLM2-360M-Instruct",
  "Qwen/Qwen2.5-0.5B-Instruct",
  "Qwen/Qwen3-0.6B",
] as const;

const EMPTY: ModelDraft = {
  kind: "hub",
  repo: SUGGESTED[0],
  revision: "main",
  endpoint: "https://huggingface.co",
  token: "",
  url: "",
  files: [],
  storage: "q8",
  thinking: false,
};

/** The draft that the present choice was made of, as far as it tells. */
export function draftOf(choice: ModelChoice): ModelDraft {
  if (choice.kind === "bundled") return EMPTY;
  const { storage, thinking } = choice;
  const use = { ...EMPTY, storage, thinking, kind: choice.kind };
  switch (choice.kind) {
    case "hub":
      return {
        ...use,
        repo: choice.file === null ? choice.repo : `${choice.repo}/${choice.file}`,
        revision: choice.revision,
        endpoint: choice.endpoint,
        token: choice.token ?? "",
      };
    case "files":
      return { ...use, files: choice.files };
    case "url":
      return { ...use, url: choice.url };
  }
}

/** The draft that leads to a run's model, as far as its name tells: from where files of a computer came is not told. */
export function draftOfWanted({ id, revision, storage, thinking }: ModelIdentity): Partial<ModelDraft> {
  const use = { storage, thinking };
  if (isAddress(id)) return { kind: "url", url: id, ...use };
  return revision === null ? { kind: "files", ...use } : { kind: "hub", repo: id, revision, ...use };
}

/** What choosing a kept model changes: where it came from, and how it is held. The token stays as it is. */
export function draftOfKept({ place, storage }: KeptModelInfo): Partial<ModelDraft> {
  if (place.kind === "url") return { kind: "url", url: place.url, storage };
  const { repo, file, revision, endpoint } = place;
  return { kind: "hub", repo: file === null ? repo : `${repo}/${file}`, revision, endpoint, storage };
}

/** null while something is missing. */
export function choiceOf(draft: ModelDraft): ModelChoice | null {
  const { kind, storage, thinking, files } = draft;
  const use = { storage, thinking };
  const url = draft.url.trim();
  switch (kind) {
    case "bundled":
      return { kind };
    case "hub":
      return hubChoice(draft);
    case "files":
      return files.length === 0 ? null : { kind, files, ...use };
    case "url":
      return isAddress(url) ? { kind, url, ...use } : null;
  }
}

function hubChoice({ storage, thinking, ...draft }: ModelDraft): ModelChoice | null {
  const endpoint = draft.endpoint.trim();
  const named = readHubId(draft.repo, endpoint);
  const revision = named?.revision ?? draft.revision.trim();
  if (named === null || revision === "" || !isAddress(endpoint)) return null;
  const { repo, file } = named;
  const token = draft.token.trim() || null;
  return { kind: "hub", repo, file, revision, endpoint, token, storage, thinking };
}

/** Whether they name one model, held and used alike. */
export function isSameChoice(one: ModelChoice, other: ModelChoice): boolean {
  if (one.kind !== "files" || other.kind !== "files") return JSON.stringify(one) === JSON.stringify(other);
  const { files, storage, thinking } = one;
  return files === other.files && storage === other.storage && thinking === other.thinking;
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text);
}

/** A part of the picker: the draft, and what it changes of it. */
export interface PickerProps {
  readonly draft: ModelDraft;
  readonly onChange: (part: Partial<ModelDraft>) => void;
}
