/** Adapters among files that a person chose: each folder of PEFT's two files, also inside a zip such as the playground's own. */
import { unzipSync } from "fflate";
import { toFaultMessage } from "../../base/errors.ts";
import type { ModelConfig } from "../../engine/nn/model-config.ts";
import { refusedAdapter } from "../../engine/weights/peft-config.ts";
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from "../../engine/weights/peft-import.ts";
import { openStartAdapter } from "../../training/start-adapter.ts";
import type { ReadAdapter } from "../protocol/adapter-messages.ts";
import type { LocalFile } from "../protocol/model-messages.ts";

/** What PEFT writes where it is asked not to use safetensors. */
const PICKLED = "adapter_model.bin";
const READ: readonly string[] = [ADAPTER_CONFIG, ADAPTER_WEIGHTS, PICKLED];

/** Every adapter folder in the files, or why it cannot be used. @throws PlaygroundError `adapter-refused` where there is none. */
export async function readAdapterFiles(
  files: readonly LocalFile[],
  model: ModelConfig,
): Promise<readonly ReadAdapter[]> {
  const folders = new Map<string, Map<string, Uint8Array>>();
  const put = (path: string, bytes: Uint8Array): void => {
    const parts = path.split("/");
    const file = parts.pop() ?? "";
    if (!READ.includes(file)) return;
    const folder = parts.join("/");
    folders.set(folder, (folders.get(folder) ?? new Map<string, Uint8Array>()).set(file, bytes));
  };
  for (const { path, bytes } of files) await eachFile(path, bytes, put);
  const names = [...folders.keys()].filter((name) => folders.get(name)?.has(ADAPTER_CONFIG) === true);
  if (names.length === 0) {
    const got = files.map(({ path }) => path).join(", ");
    throw refusedAdapter("the chosen files", `${ADAPTER_CONFIG} beside ${ADAPTER_WEIGHTS}`, got);
  }
  return Promise.all(names.toSorted().map((name) => read(name, folders.get(name) ?? new Map(), model)));
}

async function eachFile(
  path: string,
  bytes: LocalFile["bytes"],
  put: (path: string, bytes: Uint8Array) => void,
): Promise<void> {
  const whole = async (): Promise<Uint8Array> => new Uint8Array(await bytes.arrayBuffer());
  if (READ.includes(path.split("/").at(-1) ?? "")) put(path, await whole());
  if (!path.endsWith(".zip")) return;
  const wanted = (name: string): boolean => READ.includes(name.split("/").at(-1) ?? "");
  for (const [name, inside] of Object.entries(unzipped(await whole(), path, wanted))) put(name, inside);
}

function unzipped(
  bytes: Uint8Array,
  path: string,
  wanted: (name: string) => boolean,
): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes, { filter: ({ name }) => wanted(name) });
  } catch (cause) {
    throw refusedAdapter(path, "a zip file", cause instanceof Error ? cause.message : String(cause));
  }
}

async function read(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  model: ModelConfig,
): Promise<ReadAdapter> {
  const name = folder === "" ? "adapter" : folder;
  try {
    const config = files.get(ADAPTER_CONFIG) ?? new Uint8Array();
    const weights = files.get(ADAPTER_WEIGHTS);
    if (weights === undefined) {
      const got = files.has(PICKLED) ? `${PICKLED}, a pickle, which can run code` : "none";
      throw refusedAdapter(name, ADAPTER_WEIGHTS, got);
    }
    return await openStartAdapter({ name, config, weights }, model);
  } catch (error) {
    return { name, fault: toFaultMessage(error, name) };
  }
}
