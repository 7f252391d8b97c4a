/**
 * Takes from a thread everything but the language itself: network, storage, timers, messages, its own address; and of the
 * language what reads the clock, throws dice or makes code of text. What stays is frozen, so that one expression cannot change
 * what another one sees. Works on any global object and knows neither browser nor Node.
 * What remains: `import()`, a word of the language (perform.ts refuses code that holds it); time and memory of the thread, which
 * its host limits by ending it; and processor time within that limit.
 */

/** Stay, as names of the global object. */
const LANGUAGE = [
  ...["Object", "Array", "Boolean", "Number", "BigInt", "String", "Symbol", "RegExp", "Map", "Set", "JSON"],
  ...["Math", "Reflect", "Proxy", "Promise", "Error", "AggregateError", "EvalError", "RangeError", "Intl"],
  ...["ReferenceError", "SyntaxError", "TypeError", "URIError", "Infinity", "NaN", "undefined", "globalThis"],
  ...["URL", "isFinite", "isNaN", "parseFloat", "parseInt", "encodeURI", "encodeURIComponent", "decodeURI"],
  ...["decodeURIComponent", "ArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray"],
  ...["Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array"],
];

/** @returns names that could not be taken away; a thread with any of them must not run what people write */
export function lockDown(scope: object): string[] {
  const kept = new Set<PropertyKey>(LANGUAGE);
  const left: string[] = [];
  for (let level: object | null = scope; level !== null && level !== Object.prototype;) {
    for (const key of Reflect.ownKeys(level)) {
      if (typeof key !== "string" || kept.has(key) || Reflect.deleteProperty(level, key)) continue;
      if (!isPlain(Reflect.getOwnPropertyDescriptor(level, key)?.value)) left.push(key);
    }
    level = Reflect.getPrototypeOf(level);
  }
  for (const make of codeMakers()) Reflect.deleteProperty(make, "constructor");
  Reflect.deleteProperty(Math, "random");
  for (const name of LANGUAGE) freezeBoth(Reflect.get(scope, name));
  return left;
}

/** A number or a text, such as the browser's constants that nobody can take away: it does nothing. */
function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "string";
}

/** The prototypes of all kinds of functions: their constructors make code of text. */
function codeMakers(): object[] {
  const kinds = [
    () => undefined,
    async () => Promise.resolve(),
    function* () {
      yield 0;
    },
    async function* () {
      yield await Promise.resolve(0);
    },
  ];
  return kinds.map((kind) => Reflect.getPrototypeOf(kind) as object);
}

function freezeBoth(value: unknown): void {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return;
  if (value === globalThis) return;
  Object.freeze(value);
  const prototype: unknown = Reflect.get(value, "prototype");
  if (typeof prototype === "object" && prototype !== null) Object.freeze(prototype);
}
