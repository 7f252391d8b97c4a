/** One onnxruntime-web in the tree: a second one would double the download and split its settings. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> }>
  >;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;

test.each(["onnxruntime-web", "onnxruntime-node"])(
  "%s is there once, in the version transformers.js pins",
  (name) => {
    const copies = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
    expect(copies).toEqual([`node_modules/${name}`]);
    const pinned = packages["node_modules/@huggingface/transformers"]?.dependencies?.[name];
    expect(pinned).toMatch(/^\d/);
    expect(packages[`node_modules/${name}`]?.version).toBe(pinned);
    expect(packages[""]?.dependencies?.[name]).toBe(pinned);
    const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as {
      version: string;
    };
    expect(installed.version).toBe(pinned);
  },
);

test("the lock file names no registry", () => {
  expect(readFileSync("package-lock.json", "utf8")).not.toContain('"resolved"');
});
