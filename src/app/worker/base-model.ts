/** How the base model of a run is named outside of the playground: in PEFT's config, and in the note on loading it. */
import type { ModelInfo } from "../protocol/messages.ts";

export interface BaseModel {
  /** `base_model_name_or_path`. */
  readonly name: string;
  /** PEFT's `revision`; null where the source has none. */
  readonly revision: string | null;
  /** What the model is and where it lies, as a sentence. */
  readonly where: string;
  /** Arguments of transformers' `from_pretrained`. */
  readonly arguments: string;
}

/** A hub's id, an address, a folder or a GGUF file, or the bundled model. */
export function baseModelOf({ name, identity }: Pick<ModelInfo, "name" | "identity">): BaseModel {
  if (identity === null) {
    const path = `models/${name}`;
    const where = `the playground's bundled model, ${path} of its repository`;
    return { name: path, revision: null, where, arguments: quoted(path) };
  }
  const { id, revision } = identity;
  if (revision !== null) {
    const where = `the hub's model ${id} at revision ${revision}`;
    return { name: id, revision, where, arguments: `${quoted(id)}, revision=${quoted(revision)}` };
  }
  if (id.toLowerCase().endsWith(".gguf")) {
    const file = id.split("/").at(-1) ?? id;
    const where = `the GGUF file ${id}`;
    return { name: id, revision, where, arguments: `"FOLDER_OF_THE_FILE", gguf_file=${quoted(file)}` };
  }
  const where = /^https?:/.test(id)
    ? `the model at ${id}, whose files transformers needs in a folder`
    : `the model in the folder ${id}`;
  return { name: id, revision, where, arguments: quoted(id.split("/").filter(Boolean).at(-1) ?? id) };
}

const quoted = (text: string): string => JSON.stringify(text);
