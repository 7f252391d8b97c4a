/** Where a chosen model's files come from. What the bundled model does not need is loaded when it is first asked for. */
import { PlaygroundError } from "../../base/errors.ts";
import { createHubSource, type HubModel, listGgufFiles } from "../../engine/weights/hub-source.ts";
import { createGgufUrlSource, createUrlSource, ggufFileOf } from "../../engine/weights/url-source.ts";
import type { Transport } from "../../engine/weights/download.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import type { ModelIdentity } from "../../domain/run/spec.ts";
import type {
  HubChoice,
  LocalBytes,
  LocalFile,
  ModelChoice,
  ModelFileChoice,
} from "../protocol/model-messages.ts";

/** Any model but the bundled one. */
export type OwnChoice = Exclude<ModelChoice, { readonly kind: "bundled" }>;

/** Opens nothing yet; the first read does. `onWait` is told of waits that a server asks for. */
export function sourceOf(
  choice: OwnChoice,
  transport: Pick<Transport, "onWait" | "wallClock"> = {},
): Promise<ModelSource> {
  switch (choice.kind) {
    case "hub":
      return Promise.resolve(createHubSource(hubModel(choice), transport));
    case "url":
      return Promise.resolve(urlSource(choice.url, transport));
    case "files":
      return Promise.resolve(filesSource(choice.files));
  }
}

/** GGUF files to choose one of; none but for a hub's repository. */
export async function filesToChoose(choice: OwnChoice): Promise<readonly ModelFileChoice[]> {
  return choice.kind === "hub" ? listGgufFiles(hubModel({ ...choice, file: null })) : [];
}

/** As a run's specification names it; of a hub's model the commit is put in place of the revision once it is known. */
export function identityOf(choice: OwnChoice): ModelIdentity {
  const { storage, thinking } = choice;
  const named = (id: string, revision: string | null = null): ModelIdentity => ({
    id,
    revision,
    storage,
    thinking,
  });
  switch (choice.kind) {
    case "hub":
      return named(hubName(choice), choice.revision);
    case "url":
      return named(choice.url);
    case "files":
      return named(folderOf(choice.files));
  }
}

/** The chosen folder's name, or the first file's. */
function folderOf(files: readonly LocalFile[]): string {
  const [first = ""] = files.map(({ path }) => path);
  return first.split("/")[0] ?? first;
}

/** The bundled model is loaded, never looked at before. */
export function bundledChoice(): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: "model",
    expected: "a model other than the bundled one",
    got: "the bundled one",
    next: "It is here already: load it.",
  });
}

const hubName = ({ repo, file }: HubChoice): string => (file === null ? repo : `${repo}/${file}`);

function hubModel({ repo, revision, endpoint, token, file }: HubChoice): HubModel {
  return { repo, revision, endpoint, token, file };
}

/** An address of one GGUF file, or of the folder that holds config.json. */
function urlSource(url: string, transport: Transport): ModelSource {
  const create = ggufFileOf(url) === null ? createUrlSource : createGgufUrlSource;
  return create(url, url, transport);
}

/** Paths are those inside the chosen folder: what all files share in front is left out. */
function filesSource(files: readonly LocalFile[]): ModelSource {
  const shared = files.every(({ path }) => path.startsWith(`${folderOf(files)}/`));
  const inside = (path: string): string => (shared ? path.slice(folderOf(files).length + 1) : path);
  const byPath = new Map(files.map(({ path, bytes }) => [inside(path), bytes]));
  const part = async (bytes: LocalBytes): Promise<Uint8Array> => new Uint8Array(await bytes.arrayBuffer());
  return {
    name: folderOf(files),
    list: () => Promise.resolve([...byPath.keys()]),
    read: async (path, options = {}) => {
      const bytes = byPath.get(path);
      if (bytes === undefined) return null;
      const read = await part(bytes);
      options.onProgress?.(read.length, read.length);
      return read;
    },
    open: (path) => {
      const bytes = byPath.get(path);
      return Promise.resolve(
        bytes === undefined
          ? null
          : { path, sizeBytes: bytes.size, read: (start, end) => part(bytes.slice(start, end)) },
      );
    },
  };
}
