/** Actions on the rubric: every edit is kept, can be undone, and goes to the run when it can be trained on. */
import { criterionIdentity, type Criterion, type Rubric } from "../../domain/rubric/schema.ts";
import type { EmbedderChoice } from "../protocol/scoring-messages.ts";
import type { Judgement } from "../../domain/rubric/verdicts.ts";
import type { AppState } from "./app-state.ts";
import { saveRubric } from "./page-storage.ts";
import {
  addCriterion,
  freshCriterionId,
  moveCriterion,
  removeCriterion,
  replaceCriterion,
  rubricProblem,
  setWeight,
  type Place,
} from "./rubric-edits.ts";
import { setUpOf } from "./set-up.ts";
import { currentScenario, type Shop } from "./shop.ts";

const UNDO_LIMIT = 50;

export interface RubricActions {
  readonly setWeight: (id: string, weight: number) => void;
  /** Replaces the criterion of the same id, or adds it. */
  readonly putCriterion: (criterion: Criterion) => void;
  readonly removeCriterion: (id: string) => void;
  /** To another place, in its category or in another. */
  readonly moveCriterion: (id: string, to: Place) => void;
  readonly undoEdit: () => void;
  readonly redoEdit: () => void;
  /** Back to the scenario's own rubric; can be undone. */
  readonly restoreRubric: () => void;
  /** Takes another rubric whole; can be undone. */
  readonly replaceRubric: (rubric: Rubric) => void;
  /** An id for a criterion to add. */
  readonly newCriterionId: () => string;
  /** Loads the model that checks compare meanings with; null only asks whether it is loaded. @throws RequestError */
  readonly loadEmbedder: (source: EmbedderChoice | null) => Promise<boolean>;
  /** @throws RequestError */
  readonly tryRubric: (
    rubric: Rubric,
    promptId: string | null,
    answer: string,
  ) => Promise<readonly Judgement[]>;
}

/** Keeps the rubric for the next visit; the scenario's own is not kept. */
function keep(shop: Shop, rubric: Rubric): void {
  const { setUpId } = shop.store.getState();
  const scenario = currentScenario(shop);
  const own = setUpOf(scenario, setUpId).rubric;
  const same = JSON.stringify(own) === JSON.stringify(rubric);
  try {
    saveRubric(shop.storage, scenario.id, setUpId, same ? null : rubric);
  } catch (error) {
    shop.fail(error, "storage");
  }
}

async function send(shop: Shop, rubric: Rubric): Promise<void> {
  if (shop.store.getState().spec === null) return;
  try {
    const { fromStep, rubricVersion } = await shop.client.request("editRubric", { rubric });
    shop.store.setState(({ versions }) => ({
      editFromStep: fromStep,
      versions: [...versions, { version: rubricVersion, fromStep, rubric }],
    }));
  } catch (error) {
    shop.fail(error, "editRubric");
  }
}

/** Asks what the criteria mean that it was not asked before, where an embedding model is loaded. Notes can do without. */
async function learnMeanings({ client, store }: Shop): Promise<void> {
  const known = () => store.getState().meanings?.vectors ?? new Map<string, Float32Array>();
  const texts = store.getState().rubric.criteria.map(({ text }) => text);
  const fresh = [...new Set(texts)].filter((text) => !known().has(text));
  const { by, vectors } = await client.request("embedTexts", { texts: fresh });
  const learned = vectors.map((vector, i) => [fresh[i] ?? "", vector] as const);
  if (learned.length > 0) store.setState({ meanings: { by, vectors: new Map([...known(), ...learned]) } });
}

/** Shows the rubric; keeps and sends it when it is valid. */
function apply(shop: Shop, rubric: Rubric, past: Pick<AppState, "undo" | "redo">): void {
  const problem = rubricProblem(rubric);
  shop.store.setState({ rubric, ...past, rubricProblem: problem });
  if (shop.store.getState().meanings !== null) learnMeanings(shop).catch(() => undefined);
  if (problem !== null) return;
  keep(shop, rubric);
  void send(shop, rubric);
}

export function createRubricActions(shop: Shop): RubricActions {
  const { store, client } = shop;
  const used = new Set<string>();
  const edit = (change: (rubric: Rubric) => Rubric): void => {
    const { rubric, undo } = store.getState();
    for (const criterion of rubric.criteria) used.add(criterion.id);
    const next = change(rubric);
    if (JSON.stringify(next) !== JSON.stringify(rubric))
      apply(shop, next, { undo: [...undo, rubric].slice(-UNDO_LIMIT), redo: [] });
  };
  return {
    setWeight: (id, weight) => {
      edit((rubric) => setWeight(rubric, id, weight));
    },
    putCriterion: (criterion) => {
      edit((rubric) =>
        rubric.criteria.some((old) => old.id === criterion.id)
          ? replaceCriterion(rubric, criterion)
          : addCriterion(rubric, criterion),
      );
    },
    removeCriterion: (id) => {
      edit((rubric) => removeCriterion(rubric, id));
      if (store.getState().pinnedCriterion === id) store.setState({ pinnedCriterion: null });
    },
    moveCriterion: (id, to) => {
      edit((rubric) => moveCriterion(rubric, id, to));
    },
    undoEdit: () => {
      const { rubric, undo, redo } = store.getState();
      const last = undo.at(-1);
      if (last !== undefined) apply(shop, last, { undo: undo.slice(0, -1), redo: [...redo, rubric] });
    },
    redoEdit: () => {
      const { rubric, undo, redo } = store.getState();
      const next = redo.at(-1);
      if (next !== undefined) apply(shop, next, { undo: [...undo, rubric], redo: redo.slice(0, -1) });
    },
    restoreRubric: () => {
      const own = setUpOf(currentScenario(shop), store.getState().setUpId).rubric;
      edit(() => own);
    },
    newCriterionId: () => freshCriterionId([...used, ...store.getState().rubric.criteria.map((c) => c.id)]),
    tryRubric: async (rubric, promptId, answer) =>
      (await client.request("tryRubric", { rubric, promptId, answer })).judgements,
    loadEmbedder: async (source) => {
      const { loaded } = await client.request("loadEmbedder", { source });
      if (loaded) await learnMeanings(shop);
      return loaded;
    },
    replaceRubric: (rubric) => {
      edit(() => rubric);
    },
  };
}

/** True when an edit starts the criterion's alpha and history anew. */
export function startsAnew(before: Criterion, after: Criterion): boolean {
  return criterionIdentity(before) !== criterionIdentity(after);
}
