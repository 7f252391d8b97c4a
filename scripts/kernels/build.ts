/**
 * Builds the kernels (src/engine/kernels/assembly, AssemblyScript) into four modules: with the relaxed SIMD instructions,
 * which fuse multiply and add, or for browsers without them; each for one thread, or for several on a shared memory. They
 * are committed; a test holds them to the source. Run: npx tsx scripts/kernels/build.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MOST_PAGES } from "../../src/engine/kernels/heap.ts";

/** What is used of the compiler. Its own types would bring AssemblyScript's globals into every file of the project. */
interface Compiler {
  main(
    options: readonly string[],
    host: {
      readonly stderr: { write(text: string | Uint8Array): void };
      readonly writeFile: (name: string, contents: string | Uint8Array) => void;
    },
  ): Promise<{ readonly error: Error | null }>;
}
const COMPILER: string = "assemblyscript/asc";

const FOLDER = join(import.meta.dirname, "../../src/engine/kernels");

export const KERNEL_MODULES = [
  "kernels.wasm",
  "kernels-relaxed.wasm",
  "kernels-threads.wasm",
  "kernels-relaxed-threads.wasm",
] as const;
export type KernelModule = (typeof KERNEL_MODULES)[number];

/** The module's bytes, from the source as it stands. @throws Error with the compiler's messages. */
export async function buildKernels(module: KernelModule): Promise<Uint8Array> {
  const made: Uint8Array[] = [];
  const threads = module.includes("threads");
  const features = [
    "simd",
    ...(module.includes("relaxed") ? ["relaxed-simd"] : []),
    ...(threads ? ["threads"] : []),
  ];
  const options = [
    "--runtime",
    "stub",
    "--noAssert",
    "--importMemory",
    ...(threads ? ["--sharedMemory", "--maximumMemory", String(MOST_PAGES)] : []),
    "-O3",
    "--converge",
    "--uncheckedBehavior",
    "always",
  ];
  const messages: string[] = [];
  const { default: asc } = (await import(COMPILER)) as { readonly default: Compiler };
  const { error } = await asc.main(
    [
      join("assembly", "index.ts"),
      "--baseDir",
      FOLDER,
      ...options,
      "--enable",
      features.join(","),
      "-o",
      module,
    ],
    {
      stderr: {
        write: (text: string | Uint8Array) => {
          messages.push(typeof text === "string" ? text : new TextDecoder().decode(text));
        },
      },
      writeFile: (_name: string, contents: string | Uint8Array) => {
        if (typeof contents !== "string") made.push(contents);
      },
    },
  );
  const [bytes] = made;
  if (error === null && bytes !== undefined) return bytes;
  throw new Error(`${error?.message ?? "nothing was built"}\n${messages.join("")}`);
}

export function committedKernels(module: KernelModule): Uint8Array {
  return readFileSync(join(FOLDER, module));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const module of KERNEL_MODULES) {
    const bytes = await buildKernels(module);
    writeFileSync(join(FOLDER, module), bytes);
    console.log(`${module}: ${bytes.length} bytes`);
  }
}
