/** A run goes on with the model it was made on, and with no other: an adapter and its numbers belong to one set of weights. */
import { PlaygroundError } from "../../base/errors.ts";
import type { ModelIdentity } from "../../domain/run/spec.ts";

const BUNDLED = "the bundled model";

/**
 * null stands for the bundled model.
 * @throws PlaygroundError `model-other` naming both models
 */
export function checkSameModel(wanted: ModelIdentity | null, loaded: ModelIdentity | null): void {
  const [want, have] = [nameOf(wanted), nameOf(loaded)];
  if (want === have) return;
  throw new PlaygroundError({
    code: "model-other",
    where: "the run's model",
    expected: want,
    got: have,
    next: "Load the model that the run was made on, then open the run again.",
  });
}

function nameOf(model: ModelIdentity | null): string {
  if (model === null) return BUNDLED;
  const { id, revision, storage, thinking } = model;
  return `${id}${revision === null ? "" : `@${revision}`}, ${storage}${thinking ? ", thinking" : ""}`;
}
