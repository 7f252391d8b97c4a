/** How the base model of a run is named outside of the playground: in PEFT's config, and in the note on loading it. */
import type { ModelInfo } from "../protocol/messages.ts";

export interface BaseModel {
  /** `base_model_name_or_path`. */
  readonly name: string;
  /** PEFT's `revision`; null where the source has none. */
  readonly revision: string | null;
  /** What the model is and where it lies, as a sentence. */
  readonly where: string;
  /** In what its matrices were held, where that is coarser than they came; else null. */
  readonly held: string | null;
  /** Arguments of transformers' `from_pretrained`. */
  readonly arguments: string;
}

const HELD = { f32: null, q8: "8 bits", q4: "4 bits" } as const;

/** A hub's id, an address, a folder or a GGUF file, or the bundled model. */
export function baseModelOf({ name, identity }: Pick<ModelInfo, "name" | "identity">): BaseModel {
  if (identity === null) {
    const path = `models/${name}`;
    const where = `the playground's bundled model, ${path} of its repository`;
    return { name: path, revision: null, where, held: null, arguments: quoted(path) };
  }
  const held = HELD[identity.storage];
  const { id, revision } = identity;
  if (revision !== null) {
    const [, repo, file] = /^([^/]+\/[^/]+)\/(.+\.gguf)$/i.exec(id) ?? [];
    if (repo !== undefined && file !== undefined) {
      const where = `the GGUF file ${file} of the hub's model ${repo} at revision ${revision}`;
      const places = `${quoted(repo)}, revision=${quoted(revision)}, gguf_file=${quoted(file)}`;
      return { name: repo, revision, where, held, arguments: places };
    }
    const where = `the hub's model ${id} at revision ${revision}`;
    return { name: id, revision, where, held, arguments: `${quoted(id)}, revision=${quoted(revision)}` };
  }
  if (id.toLowerCase().endsWith(".gguf")) {
    const file = id.split("/").at(-1) ?? id;
    const where = `the GGUF file ${id}`;
    return { name: id, revision, where, held, arguments: `"FOLDER_OF_THE_FILE", gguf_file=${quoted(file)}` };
  }
  const where = /^https?:/.test(id)
    ? `the model at ${id}, whose files transformers needs in a folder`
    : `the model in the folder ${id}`;
  return { name: id, revision, where, held, arguments: quoted(id.split("/").filter(Boolean).at(-1) ?? id) };
}

const quoted = (text: string): string => JSON.stringify(text);
